#include "formats/quantized_hf.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

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

// Tensors in memory, by name.
class MemoryCheckpoint : public Checkpoint {
 public:
  void Add(const std::string& name, DType dtype, const Shape& shape) {
    const auto num_bytes = static_cast<size_t>(shape.num_elements()) * DTypeSize(dtype);
    infos_.push_back({name, dtype, shape});
    data_[name] = std::make_shared<std::string>(num_bytes, '\0');
  }
  void Remove(const std::string& name) {
    data_.erase(name);
    std::erase_if(infos_, [&](const TensorInfo& info) { return info.name == name; });
  }
  std::string& Bytes(const std::string& name) { return *data_.at(name); }

  std::string Source() const override { return "memory"; }
  std::string Container() const override { return "memory"; }
  const std::vector<TensorInfo>& Tensors() const override { return infos_; }
  std::optional<LoadedTensor> Find(std::string_view name) const override {
    for (const TensorInfo& info : infos_) {
      if (info.name != name) continue;
      const auto& data = data_.at(info.name);
      return LoadedTensor{
          {reinterpret_cast<const std::byte*>(data->data()), info.dtype, info.shape}, data};
    }
    return std::nullopt;
  }
  std::optional<std::string> TextFile(std::string_view name) const override {
    const auto found = text_files.find(std::string(name));
    if (found == text_files.end()) return std::nullopt;
    return found->second;
  }

  std::map<std::string, std::string> text_files;

 private:
  std::vector<TensorInfo> infos_;
  std::map<std::string, std::shared_ptr<std::string>> data_;
};

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
