#include "formats/quantized_hf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxGroupSize = int64_t{1} << 20;

// --- quantization_config ---

// Reads fields of one JSON object and words what is wrong with them.
class Fields {
 public:
  Fields(const Json& object, std::string_view where) : object_(object), where_(where) {
    if (!object.is_object()) Damaged("not an object");
  }

  [[noreturn]] void Damaged(const std::string& what) const { Throw(ErrorCode::kDataLoss, what); }
  [[noreturn]] void Unsupported(const std::string& what) const {
    Throw(ErrorCode::kUnsupported, what);
  }

  const Json* Find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  int64_t Int(const char* key) const {
    const Json* value = Find(key);
    if (value == nullptr) Damaged(StrCat("no ", key));
    if (!value->is_number_integer()) Damaged(StrCat(key, " is not a whole number"));
    // Values above 2^63 turn negative here and fail the range checks of the callers.
    return value->get<int64_t>();
  }
  bool Bool(const char* key, bool absent) const {
    const Json* value = Find(key);
    if (value == nullptr) return absent;
    if (!value->is_boolean()) Damaged(StrCat(key, " is neither true nor false"));
    return value->get<bool>();
  }
  // In lower case.
  std::string Word(const char* key, const char* absent) const {
    const Json* value = Find(key);
    if (value == nullptr) return absent;
    if (!value->is_string()) Damaged(StrCat(key, " is not a string"));
    auto word = value->get<std::string>();
    std::transform(word.begin(), word.end(), word.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return word;
  }
  std::vector<std::string> Strings(const char* key) const {
    std::vector<std::string> strings;
    const Json* value = Find(key);
    if (value == nullptr) return strings;
    if (!value->is_array()) Damaged(StrCat(key, " is not an array"));
    for (const Json& item : *value) {
      if (!item.is_string()) Damaged(StrCat(key, " holds something else than strings"));
      strings.push_back(item.get<std::string>());
    }
    return strings;
  }
  // group_size: -1 means one group a row and becomes 0.
  int GroupSize(const char* key) const {
    const int64_t size = Int(key);
    if (size == -1) return 0;
    if (size < 1 || size > kMaxGroupSize) {
      Damaged(StrCat(key, " ", size, ", expected -1 or 1 to ", kMaxGroupSize));
    }
    return static_cast<int>(size);
  }

 private:
  [[noreturn]] void Throw(ErrorCode code, const std::string& what) const {
    throw Error(code, StrCat(PrintableName(where_, 400), ": quantization_config: ", what));
  }

  const Json& object_;
  std::string_view where_;
};

QuantizationConfig ParseAwq(const Fields& fields) {
  QuantizationConfig config;
  config.method = QuantMethod::kAwq;
  // AutoAWQ's own files say w_bit and q_group_size.
  const int64_t bits = fields.Int(fields.Find("w_bit") != nullptr ? "w_bit" : "bits");
  if (bits != 4) fields.Unsupported(StrCat("AWQ with ", bits, " bits, octavo reads 4"));
  config.bits = 4;
  config.group_size =
      fields.GroupSize(fields.Find("q_group_size") != nullptr ? "q_group_size" : "group_size");
  const std::string version = fields.Word("version", "gemm");
  if (version != "gemm") {
    fields.Unsupported(
        StrCat("AWQ layout '", PrintableName(version, 24), "', octavo reads 'gemm'"));
  }
  config.is_symmetric = !fields.Bool("zero_point", true);
  if (config.is_symmetric) fields.Unsupported("AWQ without zero points");
  config.modules_to_not_convert = fields.Strings("modules_to_not_convert");
  return config;
}

QuantizationConfig ParseGptq(const Fields& fields) {
  QuantizationConfig config;
  config.method = QuantMethod::kGptq;
  const int64_t bits = fields.Int("bits");
  if (bits != 2 && bits != 4 && bits != 8) {
    fields.Unsupported(StrCat("GPTQ with ", bits, " bits, octavo reads 2, 4 and 8"));
  }
  config.bits = static_cast<int>(bits);
  config.group_size = fields.GroupSize("group_size");
  config.is_symmetric = fields.Bool("sym", true);
  config.has_act_order = fields.Bool("desc_act", false);
  const std::string format = fields.Word(
      fields.Find("checkpoint_format") != nullptr ? "checkpoint_format" : "format", "gptq");
  config.is_gptq_v2 = format == "gptq_v2";
  if (format != "gptq" && !config.is_gptq_v2) {
    fields.Unsupported(
        StrCat("GPTQ layout '", PrintableName(format, 24), "', octavo reads 'gptq' and 'gptq_v2'"));
  }
  const std::string pack_dtype = fields.Word("pack_dtype", "int32");
  if (pack_dtype != "int32") {
    fields.Unsupported(StrCat("GPTQ packed in '", PrintableName(pack_dtype, 24), "'"));
  }
  if (const Json* dynamic = fields.Find("dynamic"); dynamic != nullptr && !dynamic->empty()) {
    fields.Unsupported("GPTQ with other settings for some modules (dynamic)");
  }
  return config;
}

QuantizationConfig ParseCompressedTensors(const Fields& fields, std::string_view where) {
  QuantizationConfig config;
  config.method = QuantMethod::kCompressedTensors;
  const std::string format = fields.Word("format", "");
  if (format != "pack-quantized") {
    fields.Unsupported(StrCat("compressed-tensors format '", PrintableName(format, 24),
                              "', octavo reads 'pack-quantized'"));
  }
  const Json* groups = fields.Find("config_groups");
  if (groups == nullptr || !groups->is_object()) fields.Damaged("no object config_groups");
  if (groups->size() != 1) {
    fields.Unsupported(StrCat(groups->size(), " config_groups, octavo reads files with one"));
  }
  const Fields group(groups->front(), where);
  if (group.Find("input_activations") != nullptr) group.Unsupported("quantised activations");
  const Json* weights_json = group.Find("weights");
  if (weights_json == nullptr) group.Damaged("config group without weights");
  const Fields weights(*weights_json, where);
  const int64_t bits = weights.Int("num_bits");
  if (bits != 4 && bits != 8) {
    weights.Unsupported(StrCat("weights of ", bits, " bits, octavo reads 4 and 8"));
  }
  config.bits = static_cast<int>(bits);
  if (weights.Word("type", "int") != "int") weights.Unsupported("weights that are not integers");
  config.is_symmetric = weights.Bool("symmetric", true);
  const std::string strategy = weights.Word("strategy", "group");
  if (strategy == "group") {
    config.group_size = weights.GroupSize("group_size");
  } else if (strategy != "channel") {
    weights.Unsupported(StrCat("strategy '", PrintableName(strategy, 24), "'"));
  }
  // "weight" and "static" reorder only while quantising; "group" leaves a g_idx in the file.
  config.has_act_order = weights.Find("actorder") != nullptr &&
                         !weights.Find("actorder")->is_boolean() &&
                         weights.Word("actorder", "") == "group";
  config.modules_to_not_convert = fields.Strings("ignore");
  return config;
}

// --- tensors ---

// The quantised tensors of one linear layer, by the part of the name that follows the module's.
using Module = std::map<std::string, TensorInfo>;

class ModuleChecker {
 public:
  ModuleChecker(const Checkpoint& checkpoint, const QuantizationConfig& config)
      : checkpoint_(checkpoint), config_(config) {}

  void Check(const std::string& name, const Module& module) {
    name_ = name;
    module_ = &module;
    switch (config_.method) {
      case QuantMethod::kAwq:
        CheckAwq();
        return;
      case QuantMethod::kGptq:
        CheckGptq();
        return;
      case QuantMethod::kCompressedTensors:
        CheckCompressedTensors();
        return;
    }
  }

 private:
  [[noreturn]] void Damaged(const std::string& part, const std::string& what) const {
    throw Error(ErrorCode::kDataLoss, StrCat(PrintableName(checkpoint_.Source(), 400), ": tensor '",
                                             PrintableName(name_ + "." + part), "': ", what));
  }

  const TensorInfo& Part(const std::string& part) const {
    const auto found = module_->find(part);
    if (found == module_->end()) Damaged(part, "absent, but the layer is quantised");
    return found->second;
  }
  bool Has(const char* part) const { return module_->count(part) != 0; }

  void ExpectDType(const std::string& part, DType dtype) const {
    const TensorInfo& info = Part(part);
    if (info.dtype != dtype) {
      Damaged(part, StrCat("dtype ", DTypeName(info.dtype), ", expected ", DTypeName(dtype)));
    }
  }
  void ExpectFloat(const std::string& part, DType dtype) const {
    if (dtype != DType::kF16 && dtype != DType::kBF16 && dtype != DType::kF32) {
      Damaged(part, StrCat("dtype ", DTypeName(dtype), ", expected F16, BF16 or F32"));
    }
  }
  void ExpectShape(const std::string& part, const Shape& shape) const {
    const TensorInfo& info = Part(part);
    if (!(info.shape == shape)) {
      Damaged(part, StrCat("shape ", info.shape.ToString(), ", expected ", shape.ToString()));
    }
  }
  // A matrix of int32 with at least one element.
  const Shape& Packed(const std::string& part) const {
    ExpectDType(part, DType::kI32);
    const Shape& shape = Part(part).shape;
    if (shape.rank() != 2 || shape[0] < 1 || shape[1] < 1) {
      Damaged(part, StrCat("shape ", shape.ToString(), ", expected a matrix"));
    }
    return shape;
  }

  int64_t NumGroups(const std::string& part, int64_t num_inputs) const {
    const int64_t group_size = config_.group_size == 0 ? num_inputs : config_.group_size;
    if (num_inputs % group_size != 0) {
      Damaged(part, StrCat(num_inputs, " inputs are no whole number of groups of ", group_size));
    }
    return num_inputs / group_size;
  }

  void ExpectScales(const std::string& part, const Shape& shape) const {
    ExpectShape(part, shape);
    ExpectFloat(part, Part(part).dtype);
    const LoadedTensor tensor = checkpoint_.Get(name_ + "." + part);
    std::array<float, 1024> chunk;
    const int64_t count = shape.num_elements();
    for (int64_t begin = 0; begin < count; begin += static_cast<int64_t>(chunk.size())) {
      const int64_t length = std::min<int64_t>(static_cast<int64_t>(chunk.size()), count - begin);
      ToFloats(tensor.view, begin, length, chunk.data());
      for (int64_t i = 0; i < length; ++i) {
        if (!std::isfinite(chunk[static_cast<size_t>(i)])) {
          Damaged(part, StrCat("element ", begin + i, " is not finite"));
        }
      }
    }
  }

  void CheckGroupIndices(const std::string& part, int64_t num_inputs, int64_t num_groups) const {
    ExpectDType(part, DType::kI32);
    ExpectShape(part, Shape{num_inputs});
    const LoadedTensor tensor = checkpoint_.Get(name_ + "." + part);
    for (int64_t i = 0; i < num_inputs; ++i) {
      int32_t group = 0;
      std::memcpy(&group, tensor.view.data + i * 4, sizeof group);
      if (group < 0 || group >= num_groups) {
        Damaged(part, StrCat("element ", i, " is group ", group, " of ", num_groups));
      }
    }
  }

  void CheckBias(int64_t num_outputs) const {
    const auto bias = checkpoint_.Find(name_ + ".bias");
    if (!bias) return;
    ExpectFloat("bias", bias->view.dtype);
    if (!(bias->view.shape == Shape{num_outputs})) {
      Damaged("bias",
              StrCat("shape ", bias->view.shape.ToString(), ", expected [", num_outputs, "]"));
    }
  }

  // qweight [I, O/8], qzeros [I/g, O/8] int32, scales [I/g, O].
  void CheckAwq() const {
    const Shape& weight = Packed("qweight");
    const int64_t num_outputs = weight[1] * 8;
    const int64_t num_groups = NumGroups("qweight", weight[0]);
    Packed("qzeros");
    ExpectShape("qzeros", Shape{num_groups, weight[1]});
    ExpectScales("scales", Shape{num_groups, num_outputs});
    CheckBias(num_outputs);
  }

  // qweight [I/p, O], qzeros [G, O/p] int32, scales [G, O], g_idx [I] int32 if there is one.
  void CheckGptq() const {
    const Shape& weight = Packed("qweight");
    const int64_t per_word = 32 / config_.bits;
    const int64_t num_inputs = weight[0] * per_word;
    const int64_t num_outputs = weight[1];
    if (num_outputs % per_word != 0) {
      Damaged("qweight", StrCat(num_outputs, " outputs are no multiple of ", per_word));
    }
    // Unlike AWQ the last group may be short.
    const int64_t group_size = config_.group_size == 0 ? num_inputs : config_.group_size;
    const int64_t num_groups = (num_inputs + group_size - 1) / group_size;
    Packed("qzeros");
    ExpectShape("qzeros", Shape{num_groups, num_outputs / per_word});
    ExpectScales("scales", Shape{num_groups, num_outputs});
    if (Has("g_idx")) CheckGroupIndices("g_idx", num_inputs, num_groups);
    CheckBias(num_outputs);
  }

  // weight_packed [O, ceil(I*b/32)] int32, weight_scale [O, G], weight_shape (O, I) int64,
  // weight_zero_point [ceil(O*b/32), G] int32 if asymmetric, weight_g_idx [I] int32 if ordered.
  void CheckCompressedTensors() const {
    const Shape& packed = Packed("weight_packed");
    ExpectDType("weight_shape", DType::kI64);
    ExpectShape("weight_shape", Shape{2});
    const LoadedTensor shape = checkpoint_.Get(name_ + ".weight_shape");
    std::array<int64_t, 2> dims;
    std::memcpy(dims.data(), shape.view.data, sizeof dims);
    const auto [num_outputs, num_inputs] = dims;
    const int64_t words_limit = packed[1] * 32 / config_.bits;
    const bool fits = num_outputs == packed[0] && num_inputs >= 1 && num_inputs <= words_limit &&
                      (num_inputs * config_.bits + 31) / 32 == packed[1];
    if (!fits) {
      Damaged("weight_shape", StrCat("[", num_outputs, ", ", num_inputs,
                                     "] does not fit weight_packed ", packed.ToString()));
    }
    const int64_t num_groups = NumGroups("weight_packed", num_inputs);
    ExpectScales("weight_scale", Shape{num_outputs, num_groups});
    if (!config_.is_symmetric) {
      ExpectDType("weight_zero_point", DType::kI32);
      ExpectShape("weight_zero_point", Shape{(num_outputs * config_.bits + 31) / 32, num_groups});
    }
    if (Has("weight_g_idx")) CheckGroupIndices("weight_g_idx", num_inputs, num_groups);
    CheckBias(num_outputs);
  }

  const Checkpoint& checkpoint_;
  const QuantizationConfig& config_;
  std::string name_;
  const Module* module_ = nullptr;
};

bool IsQuantizedPart(std::string_view part, QuantMethod method) {
  if (method == QuantMethod::kCompressedTensors) {
    return part == "weight_packed" || part == "weight_scale" || part == "weight_shape" ||
           part == "weight_zero_point" || part == "weight_g_idx";
  }
  return part == "qweight" || part == "qzeros" || part == "scales" || part == "g_idx";
}

const Json* FindObjectKey(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::string QuantizationConfig::Describe() const {
  std::string text = method == QuantMethod::kAwq    ? "AWQ"
                     : method == QuantMethod::kGptq ? "GPTQ"
                                                    : "compressed-tensors";
  text += StrCat(" int", bits);
  if (group_size != 0) text += StrCat(" g", group_size);
  if (has_act_order) text += " act-order";
  return text;
}

QuantizationConfig ParseQuantizationConfig(const Json& json, std::string_view where) {
  const Fields fields(json, where);
  const std::string method = fields.Word("quant_method", "gptq");
  if (method == "awq") return ParseAwq(fields);
  if (method == "gptq") return ParseGptq(fields);
  if (method == "compressed-tensors") return ParseCompressedTensors(fields, where);
  fields.Unsupported(StrCat("method '", PrintableName(method, 24),
                            "', octavo reads awq, gptq and compressed-tensors"));
}

std::optional<QuantizationConfig> ReadQuantizationConfig(const Checkpoint& checkpoint) {
  const std::string source = checkpoint.Source();
  const std::string where = source + "/config.json";
  const Json config = ParseJson(checkpoint.GetTextFile("config.json"), where);
  if (const Json* found = FindObjectKey(config, "quantization_config")) {
    return ParseQuantizationConfig(*found, where);
  }
  if (const Json* text_config = FindObjectKey(config, "text_config")) {
    if (const Json* found = FindObjectKey(*text_config, "quantization_config")) {
      return ParseQuantizationConfig(*found, where);
    }
  }
  if (const auto own_file = checkpoint.TextFile("quantize_config.json")) {
    const std::string own_where = source + "/quantize_config.json";
    return ParseQuantizationConfig(ParseJson(*own_file, own_where), own_where);
  }
  return std::nullopt;
}

void CheckQuantizedTensors(const Checkpoint& checkpoint, const QuantizationConfig& config) {
  std::map<std::string, Module> modules;
  for (const TensorInfo& info : checkpoint.Tensors()) {
    const size_t dot = info.name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string part = info.name.substr(dot + 1);
    if (IsQuantizedPart(part, config.method)) modules[info.name.substr(0, dot)][part] = info;
  }
  if (modules.empty()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(PrintableName(checkpoint.Source(), 400), ": quantization_config says ",
                       config.Describe(), ", but no tensor is quantised so"));
  }
  ModuleChecker checker(checkpoint, config);
  for (const auto& [name, module] : modules) checker.Check(name, module);
}

}  // namespace octavo
