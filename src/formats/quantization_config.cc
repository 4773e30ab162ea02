#include "formats/quantization_config.h"

#include <algorithm>
#include <cstdint>

#include "base/json.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMaxGroupSize = int64_t{1} << 20;

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

}  // namespace octavo
