// Writes a model as a Hugging Face folder in AutoAWQ's form, tensor by tensor.
#ifndef OCTAVO_QUANTIZE_WRITE_AWQ_H_
#define OCTAVO_QUANTIZE_WRITE_AWQ_H_

#include <filesystem>

#include "quantize/write_model.h"

namespace octavo {

// config.json with quantization_config, the model's other text files, model.safetensors last: a
// folder that has it is complete. Linear layers of 4 bits become qweight, qzeros and scales with
// the numbers that WriteModel gives them; everything else keeps the checkpoint's dtype, adjusted
// tensors F32. Throws as WriteModel; kUnsupported (a matrix that is quantised already in a form
// that AutoAWQ does not have).
// REQUIRES: options.for_awq, vision and head kept.
WrittenModel WriteAwqFolder(const Checkpoint& checkpoint, const ExportOptions& options,
                            const Adjustments& adjustments, const std::filesystem::path& folder,
                            ThreadPool* pool, const WriteProgress& progress);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_WRITE_AWQ_H_
