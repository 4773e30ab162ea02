// What becomes of each tensor of a model that is written anew: kept, narrowed, or rounded to
// groups.
#ifndef OCTAVO_QUANTIZE_EXPORT_PLAN_H_
#define OCTAVO_QUANTIZE_EXPORT_PLAN_H_

#include <string>
#include <vector>

#include "formats/octavo_layout.h"
#include "model/config.h"

namespace octavo {

enum class ModelPart { kLanguage, kHead, kVision };

// kHead: the tables of embeddings and the head, which are one tensor where they are tied.
ModelPart PartOfTensor(std::string_view name);

// How matrices of one part are written.
enum class MatrixForm { kKeep, kBF16, kF32, kW4, kW8 };

struct ExportOptions {
  MatrixForm language = MatrixForm::kKeep;
  MatrixForm head = MatrixForm::kKeep;
  MatrixForm vision = MatrixForm::kKeep;
  int group_size = 128;  // 128, 64 or 32; where it does not divide K, the next smaller that does
  // AutoAWQ's limits: all matrices have the same group size; what does not fit is kept.
  bool for_awq = false;
};

struct PlannedTensor {
  OctavoTensor tensor;  // name, shape and layout; place and hash come when it is written
  std::string note;     // why a matrix that was to be quantised is not; else empty
};

// One entry for each tensor that a model of this config consists of. `tensors` are the
// checkpoint's. Matrices that are quantised already stay as they are. Throws kNotFound (a tensor is
// absent), kDataLoss (another shape).
std::vector<PlannedTensor> PlanExport(const ModelConfig& config,
                                      const std::vector<TensorInfo>& tensors,
                                      const ExportOptions& options);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_EXPORT_PLAN_H_
