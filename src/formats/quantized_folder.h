// A quantised Hugging Face checkpoint seen as one of whole matrices.
#ifndef OCTAVO_FORMATS_QUANTIZED_FOLDER_H_
#define OCTAVO_FORMATS_QUANTIZED_FOLDER_H_

#include <memory>

#include "formats/checkpoint.h"
#include "formats/quantization_config.h"

namespace octavo {

// In place of the parts of a layer (qweight, scales, …) there is its `weight`: packed in groups
// where that is exact, by FindPacked and anew at each call; else as f32, of which the log warns.
// Other tensors and the text files are those of `folder`. Throws as CheckQuantizedTensors;
// kDataLoss (a layer has a weight beside its parts).
std::unique_ptr<Checkpoint> OpenQuantized(std::unique_ptr<Checkpoint> folder,
                                          const QuantizationConfig& config);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZED_FOLDER_H_
