// Checks the quantised tensors of a Hugging Face checkpoint against its quantization_config;
// decodes nothing.
#ifndef OCTAVO_FORMATS_QUANTIZED_TENSORS_H_
#define OCTAVO_FORMATS_QUANTIZED_TENSORS_H_

#include <optional>
#include <string>
#include <string_view>

#include "formats/checkpoint.h"
#include "formats/quantization_config.h"

namespace octavo {

// A tensor's name cut in two, if it is a part of a quantised layer.
struct QuantizedPart {
  std::string module;  // "model.layers.0.mlp.up_proj"
  std::string part;    // "qweight"
};
std::optional<QuantizedPart> SplitQuantizedName(std::string_view name, QuantMethod method);

// Presence, dtype and shape of every quantised module's tensors, group indices in range, scales
// finite. Throws kDataLoss, kUnsupported.
void CheckQuantizedTensors(const Checkpoint& checkpoint, const QuantizationConfig& config);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZED_TENSORS_H_
