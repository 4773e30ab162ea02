#include "formats/awq_config.h"

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {

std::string AwqConfigJson(std::string_view config_json, int group_size,
                          const std::vector<std::string>& modules_to_not_convert,
                          std::string_view where) {
  ParseJson(config_json, where);  // limits, duplicate keys, UTF-8
  auto config = nlohmann::ordered_json::parse(config_json);
  if (!config.is_object()) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": no JSON object"));
  }
  const auto clean = [](nlohmann::ordered_json* part) {
    part->erase("quantization_config");
    part->erase("dtype");  // the newer name of torch_dtype
    if (part->contains("torch_dtype")) (*part)["torch_dtype"] = "float16";
  };
  clean(&config);
  config["torch_dtype"] = "float16";
  if (config.contains("text_config") && config["text_config"].is_object()) {
    clean(&config["text_config"]);
  }
  config["quantization_config"] = {
      {"quant_method", "awq"},    {"bits", 4},
      {"group_size", group_size}, {"zero_point", true},
      {"version", "gemm"},        {"modules_to_not_convert", modules_to_not_convert}};
  return config.dump(2) + "\n";
}

}  // namespace octavo
