#include "formats/quantization_config.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "octavo/error.h"
#include "testing/memory_checkpoint.h"

namespace octavo {
namespace {

using Json = nlohmann::json;
using octavo::testing::MemoryCheckpoint;

const char* const kAwq = R"({"quant_method":"awq","bits":4,"group_size":16,"version":"GEMM",
  "zero_point":true,"modules_to_not_convert":["visual"]})";
const char* const kGptq = R"({"quant_method":"gptq","bits":4,"group_size":16,"sym":false,
  "desc_act":true,"checkpoint_format":"gptq_v2"})";
const char* const kCompressed = R"({"quant_method":"compressed-tensors",
  "format":"pack-quantized","ignore":["lm_head"],"config_groups":{"group_0":{
  "targets":["Linear"],"input_activations":null,"weights":{"num_bits":4,"type":"int",
  "symmetric":false,"strategy":"group","group_size":16,"actorder":null}}}})";

QuantizationConfig Parse(const std::string& text) {
  return ParseQuantizationConfig(Json::parse(text), "config.json");
}

std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void ExpectRefusal(const std::string& text, ErrorCode code) {
  try {
    Parse(text);
    ADD_FAILURE() << "accepted " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
  }
}

TEST(QuantizationConfig, ReadsTheThreeMethods) {
  const QuantizationConfig awq = Parse(kAwq);
  EXPECT_EQ(awq.method, QuantMethod::kAwq);
  EXPECT_EQ(awq.group_size, 16);
  EXPECT_EQ(awq.modules_to_not_convert, std::vector<std::string>{"visual"});
  EXPECT_EQ(awq.Describe(), "AWQ int4 g16");
  const QuantizationConfig gptq = Parse(kGptq);
  EXPECT_TRUE(gptq.is_gptq_v2 && gptq.has_act_order && !gptq.is_symmetric);
  EXPECT_EQ(gptq.Describe(), "GPTQ int4 g16 act-order");
  const QuantizationConfig compressed = Parse(kCompressed);
  EXPECT_EQ(compressed.method, QuantMethod::kCompressedTensors);
  EXPECT_FALSE(compressed.is_symmetric);
  EXPECT_EQ(compressed.Describe(), "compressed-tensors int4 g16");
}

TEST(QuantizationConfig, KnowsTheSpellings) {
  EXPECT_EQ(Parse(R"({"quant_method":"awq","w_bit":4,"q_group_size":-1})").group_size, 0);
  EXPECT_FALSE(
      Parse(With(kGptq, R"("checkpoint_format":"gptq_v2")", R"("format":"gptq")")).is_gptq_v2);
  EXPECT_EQ(Parse(R"({"bits":8,"group_size":128})").method, QuantMethod::kGptq);
  EXPECT_EQ(Parse(With(kCompressed, R"("group","group_size":16)", R"("channel")")).group_size, 0);
  EXPECT_TRUE(
      Parse(With(kCompressed, R"("actorder":null)", R"("actorder":"group")")).has_act_order);
}

TEST(QuantizationConfig, RefusesWhatIsNotRead) {
  const struct {
    const char* config;
    const char* from;
    const char* to;
  } cases[] = {
      {kAwq, "\"awq\"", "\"zip\""},
      {kAwq, "\"bits\":4", "\"bits\":3"},
      {kAwq, "GEMM", "gemv"},
      {kAwq, "\"zero_point\":true", "\"zero_point\":false"},
      {kGptq, "\"bits\":4", "\"bits\":3"},
      {kGptq, "gptq_v2", "marlin"},
      {kGptq, "\"sym\":false", "\"pack_dtype\":\"int16\""},
      {kGptq, "\"sym\":false", "\"dynamic\":{\"-:lm_head\":{}}"},
      {kCompressed, "pack-quantized", "float-quantized"},
      {kCompressed, "\"num_bits\":4", "\"num_bits\":3"},
      {kCompressed, "\"int\"", "\"float\""},
      {kCompressed, "\"group\",", "\"tensor\","},
      {kCompressed, "\"input_activations\":null", "\"input_activations\":{\"num_bits\":8}"},
  };
  for (const auto& c : cases) ExpectRefusal(With(c.config, c.from, c.to), ErrorCode::kUnsupported);
}

TEST(QuantizationConfig, RefusesWhatIsDamaged) {
  const struct {
    const char* config;
    const char* from;
    const char* to;
  } cases[] = {
      {kAwq, "\"awq\"", "7"},
      {kAwq, "\"bits\":4", "\"bits\":\"4\""},
      {kAwq, "\"bits\":4", "\"bits\":4.0"},
      {kAwq, "\"bits\":4,", ""},
      {kAwq, "\"group_size\":16", "\"group_size\":0"},
      {kAwq, "\"group_size\":16", "\"group_size\":-2"},
      {kAwq, "\"group_size\":16", "\"group_size\":18446744073709551615000"},
      {kAwq, "[\"visual\"]", "\"visual\""},
      {kAwq, "[\"visual\"]", "[1]"},
      {kAwq, "\"zero_point\":true", "\"zero_point\":1"},
      {kGptq, "\"group_size\":16", "\"group_size\":0"},
      {kCompressed, "\"config_groups\"", "\"groups\""},
  };
  for (const auto& c : cases) ExpectRefusal(With(c.config, c.from, c.to), ErrorCode::kDataLoss);
  ExpectRefusal("[]", ErrorCode::kDataLoss);
}

TEST(ReadQuantizationConfig, FindsEveryPlace) {
  MemoryCheckpoint checkpoint;
  checkpoint.text_files["config.json"] = "{}";
  EXPECT_FALSE(ReadQuantizationConfig(checkpoint));
  checkpoint.text_files["quantize_config.json"] = R"({"bits":4,"group_size":32})";
  EXPECT_EQ(ReadQuantizationConfig(checkpoint)->group_size, 32);
  checkpoint.text_files["config.json"] =
      std::string(R"({"text_config":{"quantization_config":)") + kAwq + "}}";
  EXPECT_EQ(ReadQuantizationConfig(checkpoint)->method, QuantMethod::kAwq);
  checkpoint.text_files["config.json"] =
      std::string(R"({"text_config":{},"quantization_config":)") + kCompressed + "}";
  EXPECT_EQ(ReadQuantizationConfig(checkpoint)->method, QuantMethod::kCompressedTensors);
  checkpoint.text_files["config.json"] = R"({"quantization_config":null})";
  EXPECT_EQ(ReadQuantizationConfig(checkpoint)->method, QuantMethod::kGptq);
}

}  // namespace
}  // namespace octavo
