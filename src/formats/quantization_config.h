// How a Hugging Face checkpoint is quantised: AutoAWQ (gemm), GPTQ or compressed-tensors
// (pack-quantized), as its quantization_config says.
#ifndef OCTAVO_FORMATS_QUANTIZATION_CONFIG_H_
#define OCTAVO_FORMATS_QUANTIZATION_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZATION_CONFIG_H_
