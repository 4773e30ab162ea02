// Writes a model as an .octavo file, tensor by tensor: one of them is in memory at a time.
#ifndef OCTAVO_QUANTIZE_WRITE_MODEL_H_
#define OCTAVO_QUANTIZE_WRITE_MODEL_H_

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "formats/checkpoint.h"
#include "quantize/adjusted_checkpoint.h"
#include "quantize/export_plan.h"
#include "quantize/round_to_nearest.h"

namespace octavo {

struct WrittenTensor {
  std::string name;
  Shape shape;
  std::string from;  // form in the source: "BF16", "W4 g128"
  std::string to;
  uint64_t bytes = 0;
  std::string note;
  std::optional<RoundingError> rounding;  // of matrices that were rounded to groups
};

struct WrittenModel {
  std::vector<WrittenTensor> tensors;
  uint64_t source_bytes = 0;  // of the tensors as they were
  uint64_t file_bytes = 0;
};

// Before each tensor: its name and how much is done, by numbers of the model.
using WriteProgress = std::function<void(const std::string& name, double share)>;

// "BF16", "W4 g128": how a checkpoint holds it.
std::string FormOfTensor(const TensorInfo& tensor);

// Text files that the model's set has, in the order they are written.
const std::vector<std::string>& ModelTextFiles();

// `adjustments` of matrices that are rounded, and of what comes before them, are applied first; the
// rounding errors are then those of the adjusted weights.
// The bytes depend on the checkpoint's numbers, the options, the adjustments and this program's
// version of the format only. A file of that name is replaced when the new one is whole, and not
// before. Throws as Checkpoint's functions do; kInvalidArgument (path is the source itself),
// kDataLoss (a NaN or an infinity, naming the tensor), kUnsupported (weights too large for scales
// of 16 bits), kIo (a full disk; nothing is left behind).
WrittenModel WriteModel(const Checkpoint& checkpoint, const ExportOptions& options,
                        const Adjustments& adjustments, const std::filesystem::path& path,
                        ThreadPool* pool, const WriteProgress& progress);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_WRITE_MODEL_H_
