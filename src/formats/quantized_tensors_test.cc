#include "formats/quantized_tensors.h"

#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "octavo/error.h"
#include "testing/memory_checkpoint.h"

namespace octavo {
namespace {

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
  return ParseQuantizationConfig(nlohmann::json::parse(text), "config.json");
}

// One layer "m" of 32 inputs and 24 outputs in groups of 16.
MemoryCheckpoint AwqLayer() {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.qweight", DType::kI32, Shape{32, 3});
  checkpoint.Add("m.qzeros", DType::kI32, Shape{2, 3});
  checkpoint.Add("m.scales", DType::kF16, Shape{2, 24});
  checkpoint.Add("m.bias", DType::kF16, Shape{24});
  return checkpoint;
}
MemoryCheckpoint GptqLayer() {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.qweight", DType::kI32, Shape{4, 24});
  checkpoint.Add("m.qzeros", DType::kI32, Shape{2, 3});
  checkpoint.Add("m.scales", DType::kF16, Shape{2, 24});
  checkpoint.Add("m.g_idx", DType::kI32, Shape{32});
  return checkpoint;
}
MemoryCheckpoint CompressedLayer() {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.weight_packed", DType::kI32, Shape{24, 4});
  checkpoint.Add("m.weight_scale", DType::kBF16, Shape{24, 2});
  checkpoint.Add("m.weight_shape", DType::kI64, Shape{2});
  checkpoint.Add("m.weight_zero_point", DType::kI32, Shape{3, 2});
  const int64_t shape[2] = {24, 32};
  std::memcpy(checkpoint.Bytes("m.weight_shape").data(), shape, sizeof shape);
  return checkpoint;
}

struct Form {
  const char* config;
  MemoryCheckpoint (*make)();
};
const Form kForms[] = {{kAwq, AwqLayer}, {kGptq, GptqLayer}, {kCompressed, CompressedLayer}};

// The refusal's message; "" if everything is in order.
std::string Check(const Checkpoint& checkpoint, const char* config) {
  try {
    CheckQuantizedTensors(checkpoint, Parse(config));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
    return error.what();
  }
  return "";
}

TEST(QuantizedTensors, IntactLayersOfEveryMethodPass) {
  for (const Form& form : kForms) EXPECT_EQ(Check(form.make(), form.config), "");
}

TEST(QuantizedTensors, NoQuantizedTensorAtAllIsRefused) {
  MemoryCheckpoint plain;
  plain.Add("m.weight", DType::kF16, Shape{24, 32});
  for (const Form& form : kForms) {
    EXPECT_NE(Check(plain, form.config).find("no tensor is quantised"), std::string::npos);
  }
}

TEST(QuantizedTensors, EveryTensorMissingOrMisshapedInTurnIsRefused) {
  for (const Form& form : kForms) {
    const MemoryCheckpoint whole = form.make();
    for (const TensorInfo& info : whole.Tensors()) {
      const bool is_optional = info.name == "m.bias" || info.name == "m.g_idx";
      MemoryCheckpoint damaged = form.make();
      damaged.Remove(info.name);
      EXPECT_EQ(Check(damaged, form.config).empty(), is_optional) << info.name;
      for (const int64_t step : {-1, 1}) {
        damaged = form.make();
        damaged.Remove(info.name);
        damaged.Add(info.name, info.dtype,
                    info.shape.rank() == 1 ? Shape{info.shape[0] + step}
                                           : Shape{info.shape[0] + step, info.shape[1]});
        EXPECT_NE(Check(damaged, form.config), "") << info.name << " by " << step;
      }
      damaged = form.make();
      damaged.Remove(info.name);
      damaged.Add(info.name, DType::kU8, info.shape);
      EXPECT_NE(Check(damaged, form.config), "") << info.name;
    }
  }
}

TEST(QuantizedTensors, GroupIndicesStayInside) {
  for (const int32_t bad : {-1, 2, std::numeric_limits<int32_t>::min()}) {
    MemoryCheckpoint checkpoint = GptqLayer();
    std::memcpy(checkpoint.Bytes("m.g_idx").data() + 31 * 4, &bad, 4);
    EXPECT_NE(Check(checkpoint, kGptq).find("element 31 is group"), std::string::npos);
  }
}

TEST(QuantizedTensors, ScalesAreFinite) {
  const struct {
    const Form& form;
    const char* name;
    uint16_t bad;
  } cases[] = {{kForms[0], "m.scales", 0x7E00},
               {kForms[1], "m.scales", 0xFC00},
               {kForms[2], "m.weight_scale", 0x7F80}};
  for (const auto& c : cases) {
    MemoryCheckpoint checkpoint = c.form.make();
    std::memcpy(checkpoint.Bytes(c.name).data() + 46 * 2, &c.bad, 2);
    EXPECT_NE(Check(checkpoint, c.form.config).find("element 46 is not finite"), std::string::npos);
  }
}

TEST(QuantizedTensors, StoredShapeMustFitThePackedWords) {
  for (const int64_t num_inputs :
       {int64_t{0}, int64_t{-32}, int64_t{24}, int64_t{33}, std::numeric_limits<int64_t>::max()}) {
    MemoryCheckpoint checkpoint = CompressedLayer();
    std::memcpy(checkpoint.Bytes("m.weight_shape").data() + 8, &num_inputs, 8);
    EXPECT_NE(Check(checkpoint, kCompressed), "") << num_inputs;
  }
}

}  // namespace
}  // namespace octavo
