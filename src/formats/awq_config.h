// config.json of a checkpoint that is written in AutoAWQ's form.
#ifndef OCTAVO_FORMATS_AWQ_CONFIG_H_
#define OCTAVO_FORMATS_AWQ_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

// `config_json` with quantization_config (4 bits, zero points, "gemm") and torch_dtype float16,
// which AutoAWQ's kernels need; a quantization_config that was there is replaced, wherever it
// stood. modules_to_not_convert: parts of module names, as AutoAWQ compares them.
// `where` names the file in messages. Throws kDataLoss (not a JSON object).
std::string AwqConfigJson(std::string_view config_json, int group_size,
                          const std::vector<std::string>& modules_to_not_convert,
                          std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_AWQ_CONFIG_H_
