// Checks the quantised tensors of a Hugging Face checkpoint against its quantization_config;
// decodes nothing.
#ifndef OCTAVO_FORMATS_QUANTIZED_TENSORS_H_
#define OCTAVO_FORMATS_QUANTIZED_TENSORS_H_

#include "formats/checkpoint.h"
#include "formats/quantization_config.h"

namespace octavo {

// Presence, dtype and shape of every quantised module's tensors, group indices in range, scales
// finite. Throws kDataLoss, kUnsupported.
void CheckQuantizedTensors(const Checkpoint& checkpoint, const QuantizationConfig& config);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZED_TENSORS_H_
