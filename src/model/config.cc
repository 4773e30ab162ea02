#include "model/config.h"

#include <cmath>
#include <limits>
#include <optional>

#include "base/json.h"
#include "base/log.h"
#include "base/str_cat.h"
#include "formats/quantization_config.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

// Bounds far above any checkpoint of the family; they keep products of sizes inside 64 bits and
// hostile files away from allocations.
constexpr int kMaxWidth = 1 << 16;
constexpr int kMaxLayers = 1024;
constexpr int kMaxVocab = 1 << 24;
constexpr int kMaxContext = 1 << 24;
constexpr double kMaxMlpRatio = 64;

// Reads fields of one JSON object, then of a second one that stands in for what the first lacks.
class Fields {
 public:
  Fields(const Json& object, const Json* fallback, std::string where)
      : object_(object), fallback_(fallback), where_(std::move(where)) {}

  const std::string& where() const { return where_; }

  const Json* Find(const char* key) const {
    for (const Json* object : {&object_, fallback_}) {
      if (object == nullptr) continue;
      const auto it = object->find(key);
      if (it != object->end() && !it->is_null()) return &*it;
    }
    return nullptr;
  }

  int Int(const char* key, int min, int max, std::optional<int> otherwise = std::nullopt) const {
    const Json* value = Find(key);
    if (value == nullptr) {
      if (otherwise) return *otherwise;
      throw Error(ErrorCode::kDataLoss, StrCat(where_, ": ", key, " is absent"));
    }
    return ToInt(*value, key, min, max);
  }

  double Number(const char* key, double otherwise) const {
    const Json* value = Find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number()) Bad(key, *value, "a number");
    return value->get<double>();
  }

  bool Bool(const char* key, bool otherwise) const {
    const Json* value = Find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) Bad(key, *value, "true or false");
    return value->get<bool>();
  }

  std::string String(const char* key, const char* otherwise) const {
    const Json* value = Find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_string()) Bad(key, *value, "a string");
    return value->get<std::string>();
  }

  int ToInt(const Json& value, const char* key, int min, int max) const {
    if (!value.is_number_integer()) Bad(key, value, "an integer");
    const bool too_large =
        value.is_number_unsigned() &&
        value.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const int64_t number = too_large ? std::numeric_limits<int64_t>::max() : value.get<int64_t>();
    if (number < min || number > max) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(where_, ": ", key, " is ", value.dump(), ", expected ", min, " to ", max));
    }
    return static_cast<int>(number);
  }

  [[noreturn]] void Bad(const char* key, const Json& value, const char* expected) const {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where_, ": ", key, " is ", value.type_name(), ", expected ", expected));
  }

 private:
  const Json& object_;
  const Json* fallback_;
  std::string where_;
};

// The value as a C string of the message: strings in quotes, cut.
std::string Quoted(const std::string& value) { return StrCat("\"", value.substr(0, 60), "\""); }

void RequireWord(const Fields& fields, const char* key, const char* expected) {
  const std::string found = fields.String(key, expected);
  if (found != expected) {
    throw Error(ErrorCode::kUnsupported, StrCat(fields.where(), ": ", key, " is ", Quoted(found),
                                                ", octavo runs ", Quoted(expected)));
  }
}

void RequireDivides(const Fields& fields, const char* whole, int a, const char* part, int b) {
  if (a % b != 0) {
    throw Error(ErrorCode::kDataLoss, StrCat(fields.where(), ": ", whole, " ", a,
                                             " is not a multiple of ", part, " ", b));
  }
}

void CheckFamily(const Fields& root) {
  if (root.Find("model_type") == nullptr) {
    throw Error(ErrorCode::kDataLoss, StrCat(root.where(), ": model_type is absent"));
  }
  RequireWord(root, "model_type", "qwen2_vl");
  // How weights are stored is the container's business; a form that no reader knows is refused.
  if (const Json* quantization = root.Find("quantization_config")) {
    ParseQuantizationConfig(*quantization, root.where());
  }
}

// Three spellings: rope_theta with rope_scaling; rope_parameters.
void ReadRope(const Fields& fields, TextConfig* text) {
  const Json* parameters = fields.Find("rope_parameters");
  if (parameters == nullptr) parameters = fields.Find("rope_scaling");
  if (parameters == nullptr) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(fields.where(), ": rope_scaling with mrope_section is absent"));
  }
  if (!parameters->is_object()) fields.Bad("rope_scaling", *parameters, "an object");
  const Fields rope(*parameters, nullptr, fields.where());
  for (const char* key : {"type", "rope_type"}) {
    const std::string type = rope.String(key, "default");
    if (type != "default" && type != "mrope") {
      throw Error(ErrorCode::kUnsupported, StrCat(fields.where(), ": rope ", key, " is ",
                                                  Quoted(type), ", octavo runs \"mrope\""));
    }
  }
  text->rope_theta = rope.Number("rope_theta", fields.Number("rope_theta", 1e6));
  if (!(text->rope_theta > 0) || !std::isfinite(text->rope_theta)) {
    throw Error(ErrorCode::kDataLoss, StrCat(fields.where(), ": rope_theta is ", text->rope_theta,
                                             ", expected more than 0"));
  }
  const Json* section = rope.Find("mrope_section");
  if (section == nullptr || !section->is_array() || section->size() != 3) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(fields.where(), ": mrope_section is not a list of three"));
  }
  int sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    text->mrope_section[i] = fields.ToInt((*section)[i], "mrope_section", 0, kMaxWidth);
    sum += text->mrope_section[i];
  }
  if (sum * 2 != text->head_dim()) {
    throw Error(ErrorCode::kDataLoss, StrCat(fields.where(), ": mrope_section sums to ", sum,
                                             ", expected half of the head's ", text->head_dim()));
  }
}

TextConfig ReadText(const Fields& fields) {
  TextConfig text;
  text.hidden_size = fields.Int("hidden_size", 1, kMaxWidth);
  text.num_hidden_layers = fields.Int("num_hidden_layers", 1, kMaxLayers);
  text.num_attention_heads = fields.Int("num_attention_heads", 1, kMaxWidth);
  text.num_key_value_heads = fields.Int("num_key_value_heads", 1, kMaxWidth);
  text.intermediate_size = fields.Int("intermediate_size", 1, kMaxWidth * 4);
  text.vocab_size = fields.Int("vocab_size", 1, kMaxVocab);
  text.max_position_embeddings = fields.Int("max_position_embeddings", 1, kMaxContext, 32768);
  RequireDivides(fields, "hidden_size", text.hidden_size, "num_attention_heads",
                 text.num_attention_heads);
  RequireDivides(fields, "num_attention_heads", text.num_attention_heads, "num_key_value_heads",
                 text.num_key_value_heads);
  if (fields.Int("head_dim", 1, kMaxWidth, text.head_dim()) != text.head_dim()) {
    throw Error(
        ErrorCode::kUnsupported,
        StrCat(fields.where(), ": head_dim differs from hidden_size / num_attention_heads"));
  }
  const double eps = fields.Number("rms_norm_eps", 1e-6);
  if (!(eps > 0 && eps < 1)) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(fields.where(), ": rms_norm_eps is ", eps, ", expected between 0 and 1"));
  }
  text.rms_norm_eps = static_cast<float>(eps);
  RequireWord(fields, "hidden_act", "silu");
  if (fields.Bool("use_sliding_window", false) &&
      fields.Int("sliding_window", 0, kMaxContext, 0) < text.max_position_embeddings) {
    throw Error(ErrorCode::kUnsupported,
                StrCat(fields.where(),
                       ": use_sliding_window with a window shorter than the "
                       "context; octavo attends to everything"));
  }
  ReadRope(fields, &text);
  return text;
}

VisionConfig ReadVision(const Fields& fields, int text_width) {
  VisionConfig vision;
  vision.depth = fields.Int("depth", 1, kMaxLayers);
  vision.embed_dim = fields.Int("embed_dim", 1, kMaxWidth);
  vision.hidden_size = fields.Int("hidden_size", 1, kMaxWidth);
  vision.num_heads = fields.Int("num_heads", 1, kMaxWidth);
  RequireWord(fields, "hidden_act", "quick_gelu");
  RequireDivides(fields, "vision embed_dim", vision.embed_dim, "num_heads", vision.num_heads);
  if (vision.head_dim() % 4 != 0) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(fields.where(), ": the vision head's ", vision.head_dim(),
                       " is not a multiple of 4, as a "
                       "rotary over rows and columns needs"));
  }
  if (vision.hidden_size != text_width) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(fields.where(), ": vision hidden_size is ", vision.hidden_size,
                       ", expected the language model's ", text_width));
  }
  const double ratio = fields.Number("mlp_ratio", 4);
  if (!(ratio > 0 && ratio <= kMaxMlpRatio)) {
    throw Error(ErrorCode::kDataLoss, StrCat(fields.where(), ": mlp_ratio is ", ratio,
                                             ", expected more than 0, at most ", kMaxMlpRatio));
  }
  vision.mlp_dim = static_cast<int>(vision.embed_dim * ratio);
  if (vision.mlp_dim < 1) {
    throw Error(ErrorCode::kDataLoss, StrCat(fields.where(), ": mlp_ratio ", ratio,
                                             " leaves the vision MLP without a column"));
  }
  vision.in_channels = fields.Int("in_channels", 1, 64, fields.Int("in_chans", 1, 64, 3));
  vision.patch_size = fields.Int("patch_size", 1, 256, 14);
  vision.temporal_patch_size = fields.Int("temporal_patch_size", 1, 16, 2);
  vision.spatial_merge_size = fields.Int("spatial_merge_size", 1, 64, 2);
  if (vision.in_channels != 3 || vision.spatial_merge_size != 2) {
    throw Error(
        ErrorCode::kUnsupported,
        StrCat(fields.where(), ": in_channels ", vision.in_channels, " and spatial_merge_size ",
               vision.spatial_merge_size, ", octavo runs 3 and 2"));
  }
  return vision;
}

// eos_token_id may be one id or a list.
std::vector<int32_t> ReadEosIds(const Fields& fields, int vocab_size) {
  std::vector<int32_t> ids;
  const Json* value = fields.Find("eos_token_id");
  if (value == nullptr) return ids;
  if (!value->is_array()) return {fields.ToInt(*value, "eos_token_id", 0, vocab_size - 1)};
  for (const Json& id : *value) {
    ids.push_back(fields.ToInt(id, "eos_token_id", 0, vocab_size - 1));
  }
  return ids;
}

void RequireObject(const Json& json, std::string_view where, const char* what) {
  if (!json.is_object()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where, ": ", what, " is ", json.type_name(), ", expected an object"));
  }
}

}  // namespace

ModelConfig ParseModelConfig(std::string_view config_json, std::string_view generation_json,
                             std::string_view where) {
  const Json json = ParseJson(config_json, where);
  RequireObject(json, where, "the file");
  const Fields root(json, nullptr, std::string(where));
  CheckFamily(root);

  // Without text_config the root is the text config; with it, the root stands in for absent keys.
  const Json* nested = root.Find("text_config");
  if (nested != nullptr) RequireObject(*nested, where, "text_config");
  const Fields text(nested != nullptr ? *nested : json, &json, std::string(where));
  const Json* vision = root.Find("vision_config");
  if (vision == nullptr) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": vision_config is absent"));
  }
  RequireObject(*vision, where, "vision_config");

  ModelConfig config;
  config.model_type = root.String("model_type", "");
  config.torch_dtype = text.String("torch_dtype", text.String("dtype", "").c_str());
  config.text = ReadText(text);
  // True in either place ties; the nested files say it only inside text_config.
  config.text.tie_word_embeddings =
      root.Bool("tie_word_embeddings", false) || text.Bool("tie_word_embeddings", false);
  config.vision = ReadVision(Fields(*vision, nullptr, StrCat(where, ", vision_config")),
                             config.text.hidden_size);

  const int last_id = config.text.vocab_size - 1;
  config.image_token_id = text.Int("image_token_id", 0, last_id);
  config.video_token_id = text.Int("video_token_id", 0, last_id, kNoToken);
  config.vision_start_token_id = text.Int("vision_start_token_id", 0, last_id, kNoToken);
  config.vision_end_token_id = text.Int("vision_end_token_id", 0, last_id, kNoToken);
  if (!generation_json.empty()) {
    const std::string generation_where = StrCat("generation_config.json beside ", where);
    const Json generation = ParseJson(generation_json, generation_where);
    RequireObject(generation, generation_where, "the file");
    config.eos_token_ids =
        ReadEosIds(Fields(generation, nullptr, generation_where), config.text.vocab_size);
  }
  if (config.eos_token_ids.empty()) {
    config.eos_token_ids = ReadEosIds(text, config.text.vocab_size);
  }
  return config;
}

ModelConfig LoadModelConfig(const Checkpoint& checkpoint) {
  const std::string generation = checkpoint.TextFile("generation_config.json").value_or("");
  ModelConfig config = ParseModelConfig(checkpoint.GetTextFile("config.json"), generation,
                                        StrCat(checkpoint.Source(), "/config.json"));
  if (config.text.tie_word_embeddings) return config;
  for (const TensorInfo& tensor : checkpoint.Tensors()) {
    if (tensor.name == "lm_head.weight") return config;
  }
  Log(LogLevel::kWarning, StrCat(checkpoint.Source(),
                                 ": tie_word_embeddings is false but there is no lm_head.weight; "
                                 "the embeddings serve as the head"));
  config.text.tie_word_embeddings = true;
  return config;
}

std::vector<TensorInfo> ExpectedTensors(const ModelConfig& config) {
  std::vector<TensorInfo> tensors;
  const auto add = [&](std::string name, Shape shape) {
    tensors.push_back({std::move(name), DType::kF32, shape});
  };
  const auto add_linear = [&](const std::string& name, int64_t out, int64_t in, bool has_bias) {
    add(name + ".weight", {out, in});
    if (has_bias) add(name + ".bias", {out});
  };
  const auto add_layer_norm = [&](const std::string& name, int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  };

  const VisionConfig& vision = config.vision;
  const int64_t embed_dim = vision.embed_dim;
  add("visual.patch_embed.proj.weight", {embed_dim, vision.in_channels, vision.temporal_patch_size,
                                         vision.patch_size, vision.patch_size});
  for (int b = 0; b < vision.depth; ++b) {
    const std::string block = StrCat("visual.blocks.", b, ".");
    add_layer_norm(block + "norm1", embed_dim);
    add_layer_norm(block + "norm2", embed_dim);
    add_linear(block + "attn.qkv", 3 * embed_dim, embed_dim, true);
    add_linear(block + "attn.proj", embed_dim, embed_dim, true);
    add_linear(block + "mlp.fc1", vision.mlp_dim, embed_dim, true);
    add_linear(block + "mlp.fc2", embed_dim, vision.mlp_dim, true);
  }
  const int64_t merged = embed_dim * vision.spatial_merge_size * vision.spatial_merge_size;
  add_layer_norm("visual.merger.ln_q", embed_dim);
  add_linear("visual.merger.mlp.0", merged, merged, true);
  add_linear("visual.merger.mlp.2", vision.hidden_size, merged, true);

  const TextConfig& text = config.text;
  const int64_t hidden = text.hidden_size;
  const int64_t kv = int64_t{text.num_key_value_heads} * text.head_dim();
  add("model.embed_tokens.weight", {text.vocab_size, hidden});
  for (int l = 0; l < text.num_hidden_layers; ++l) {
    const std::string layer = StrCat("model.layers.", l, ".");
    add_linear(layer + "self_attn.q_proj", hidden, hidden, true);
    add_linear(layer + "self_attn.k_proj", kv, hidden, true);
    add_linear(layer + "self_attn.v_proj", kv, hidden, true);
    add_linear(layer + "self_attn.o_proj", hidden, hidden, false);
    add_linear(layer + "mlp.gate_proj", text.intermediate_size, hidden, false);
    add_linear(layer + "mlp.up_proj", text.intermediate_size, hidden, false);
    add_linear(layer + "mlp.down_proj", hidden, text.intermediate_size, false);
    add(layer + "input_layernorm.weight", {hidden});
    add(layer + "post_attention_layernorm.weight", {hidden});
  }
  add("model.norm.weight", {hidden});
  if (!text.tie_word_embeddings) add("lm_head.weight", {text.vocab_size, hidden});
  return tensors;
}

}  // namespace octavo
