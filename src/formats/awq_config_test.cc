#include "formats/awq_config.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/quantization_config.h"
#include "octavo/error.h"

namespace octavo {
namespace {

TEST(AwqConfig, OctavoReadsItBack) {
  const std::string text =
      AwqConfigJson(R"({"model_type":"qwen2_vl","torch_dtype":"bfloat16","hidden_size":64,
                        "text_config":{"quantization_config":{"quant_method":"gptq"}}})",
                    64, {"visual", "model.layers.0.mlp.down_proj"}, "config.json");
  const auto config = nlohmann::json::parse(text);
  EXPECT_EQ(config["model_type"], "qwen2_vl");
  EXPECT_EQ(config["hidden_size"], 64);
  EXPECT_EQ(config["torch_dtype"], "float16");
  EXPECT_FALSE(config["text_config"].contains("quantization_config"));
  const QuantizationConfig quantization =
      ParseQuantizationConfig(config["quantization_config"], "config.json");
  EXPECT_EQ(quantization.method, QuantMethod::kAwq);
  EXPECT_EQ(quantization.group_size, 64);
  EXPECT_EQ(quantization.modules_to_not_convert.size(), 2u);
}

TEST(AwqConfig, AFlatConfigStaysFlat) {
  const auto config = nlohmann::json::parse(AwqConfigJson(R"({"a":1})", 128, {}, "config.json"));
  EXPECT_FALSE(config.contains("text_config"));
}

TEST(AwqConfig, RefusesWhatIsNoObject) {
  EXPECT_THROW(AwqConfigJson("[1]", 128, {}, "config.json"), Error);
  EXPECT_THROW(AwqConfigJson("{", 128, {}, "config.json"), Error);
}

}  // namespace
}  // namespace octavo
