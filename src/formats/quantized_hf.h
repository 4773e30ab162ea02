// Quantised Hugging Face checkpoints: AutoAWQ (gemm), GPTQ and compressed-tensors (pack-quantized).
// Parses quantization_config and checks every quantised tensor against it; decodes nothing.
#ifndef OCTAVO_FORMATS_QUANTIZED_HF_H_
#define OCTAVO_FORMATS_QUANTIZED_HF_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "formats/checkpoint.h"

namespace octavo {

enum class QuantMethod { kAwq, kGptq, kCompressedTensors };

struct QuantizationConfig {
  QuantMethod method = QuantMethod::kAwq;
  int bits = 4;
  int group_size = 0;  // inputs that share a scale; 0: all of a row
  bool is_symmetric = false;
  bool is_gptq_v2 = false;  // GPTQ: zero points stored as they are, not minus one
  bool has_act_order = false;
  // Modules that stay unquantised, as the file names them.
  std::vector<std::string> modules_to_not_convert;

  // "AWQ int4 g128", "GPTQ int8 g32 act-order", ...
  std::string Describe() const;
};

// `config` is the value of quantization_config (or a whole quantize_config.json, whose
// quant_method may be absent and means GPTQ).
// Throws kDataLoss (wrong type or range), kUnsupported (another method, layout or width).
QuantizationConfig ParseQuantizationConfig(const nlohmann::json& config, std::string_view where);

// The checkpoint's own: quantization_config of config.json (at the root or in text_config), or
// quantize_config.json. nullopt if neither is there. Throws as above.
std::optional<QuantizationConfig> ReadQuantizationConfig(const Checkpoint& checkpoint);

// Presence, dtype and shape of every quantised module's tensors, group indices in range, scales
// finite. Throws kDataLoss, kUnsupported.
void CheckQuantizedTensors(const Checkpoint& checkpoint, const QuantizationConfig& config);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZED_HF_H_
