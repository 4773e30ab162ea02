#include "formats/gguf_texts.h"

#include <cstring>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/gguf_tokens.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

// MinerU2.5's own limits (preprocessor_config.json of 2509).
constexpr uint64_t kMinPixels = 50176;
constexpr uint64_t kMaxPixels = 1605632;

// Typed look-ups in one file's metadata.
class Metadata {
 public:
  Metadata(const Gguf& gguf, std::string_view where) : gguf_(gguf), where_(where) {}

  [[noreturn]] void Throw(ErrorCode code, const std::string& what) const {
    throw Error(code, StrCat(PrintableName(where_, 400), ": ", what));
  }

  std::optional<uint64_t> FindInt(const std::string& key) const {
    const GgufValue* value = gguf_.FindValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* number = std::get_if<uint64_t>(&value->value)) return *number;
    if (const auto* number = std::get_if<int64_t>(&value->value);
        number != nullptr && *number >= 0) {
      return static_cast<uint64_t>(*number);
    }
    Wrong(key, "a whole number of 0 or more");
  }
  uint64_t Int(const std::string& key) const { return Require(key, FindInt(key)); }

  double Float(const std::string& key) const {
    const GgufValue* value = gguf_.FindValue(key);
    if (value == nullptr) Throw(ErrorCode::kDataLoss, StrCat("no ", key));
    if (const auto* number = std::get_if<double>(&value->value)) return *number;
    Wrong(key, "a floating-point number");
  }

  std::optional<std::string_view> FindString(const std::string& key) const {
    const GgufValue* value = gguf_.FindValue(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* text = std::get_if<std::string_view>(&value->value)) return *text;
    Wrong(key, "a string");
  }
  bool Bool(const std::string& key) const {
    const GgufValue* value = gguf_.FindValue(key);
    if (value == nullptr) return false;
    if (const auto* flag = std::get_if<bool>(&value->value)) return *flag;
    Wrong(key, "true or false");
  }

  // Elements of an array of numbers of four bytes.
  template <typename T>
  std::vector<T> Numbers(const std::string& key, GgufValueType type, GgufValueType other) const {
    const GgufArray& array = Array(key);
    if (array.element_type != type && array.element_type != other) Wrong(key, "numbers");
    std::vector<T> numbers(static_cast<size_t>(array.count));
    if (!numbers.empty()) std::memcpy(numbers.data(), array.bytes.data(), array.bytes.size());
    return numbers;
  }

  std::vector<std::string_view> Strings(const std::string& key) const {
    const GgufArray& array = Array(key);
    if (array.element_type != GgufValueType::kString) Wrong(key, "strings");
    std::vector<std::string_view> strings;
    strings.reserve(static_cast<size_t>(array.count));
    const std::byte* at = array.bytes.data();  // lengths were checked when the file was parsed
    for (uint64_t i = 0; i < array.count; ++i) {
      uint64_t length = 0;
      std::memcpy(&length, at, sizeof(length));
      at += sizeof(length);
      const std::string_view text(reinterpret_cast<const char*>(at), static_cast<size_t>(length));
      if (!IsValidUtf8(text)) Wrong(key, "UTF-8");
      strings.push_back(text);
      at += length;
    }
    return strings;
  }

 private:
  [[noreturn]] void Wrong(const std::string& key, const char* expected) const {
    Throw(ErrorCode::kDataLoss, StrCat(key, " is something else than ", expected));
  }
  uint64_t Require(const std::string& key, std::optional<uint64_t> value) const {
    if (!value) Throw(ErrorCode::kDataLoss, StrCat("no ", key));
    return *value;
  }
  const GgufArray& Array(const std::string& key) const {
    const GgufValue* value = gguf_.FindValue(key);
    if (value == nullptr) Throw(ErrorCode::kDataLoss, StrCat("no ", key));
    if (const auto* array = std::get_if<GgufArray>(&value->value)) return *array;
    Wrong(key, "an array");
  }

  const Gguf& gguf_;
  std::string_view where_;
};

struct Tokens {
  std::vector<std::string_view> texts;
  std::vector<int32_t> kinds;

  std::optional<int64_t> Find(std::string_view text) const {
    for (size_t i = 0; i < texts.size(); ++i) {
      if (texts[i] == text && kinds[i] != kGgufUnusedToken) return static_cast<int64_t>(i);
    }
    return std::nullopt;
  }
};

Tokens ReadTokens(const Metadata& metadata) {
  const std::string_view model = metadata.FindString("tokenizer.ggml.model").value_or("");
  const std::string_view pre = metadata.FindString("tokenizer.ggml.pre").value_or("");
  if (model != "gpt2" || pre != "qwen2") {
    metadata.Throw(ErrorCode::kUnsupported,
                   StrCat("tokenizer '", PrintableName(model, 24), "' with '",
                          PrintableName(pre, 24), "', expected 'gpt2' with 'qwen2'"));
  }
  Tokens tokens;
  tokens.texts = metadata.Strings("tokenizer.ggml.tokens");
  tokens.kinds = metadata.Numbers<int32_t>("tokenizer.ggml.token_type", GgufValueType::kI32,
                                           GgufValueType::kU32);
  if (tokens.kinds.size() != tokens.texts.size()) {
    metadata.Throw(ErrorCode::kDataLoss,
                   StrCat(tokens.texts.size(), " tokens with ", tokens.kinds.size(), " kinds"));
  }
  return tokens;
}

std::string TokenizerJson(const Metadata& metadata, const Tokens& tokens) {
  Json added = Json::array();
  Json vocab = Json::object();
  for (size_t i = 0; i < tokens.texts.size(); ++i) {
    const std::string text(tokens.texts[i]);
    switch (tokens.kinds[i]) {
      case kGgufNormalToken:
        vocab[text] = i;
        break;
      case kGgufControlToken:
      case kGgufUserToken:
        added.push_back({{"id", i},
                         {"content", text},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", tokens.kinds[i] == kGgufControlToken}});
        break;
      case kGgufUnusedToken:
        break;
      default:
        metadata.Throw(ErrorCode::kUnsupported, StrCat("token ", i, " is of kind ", tokens.kinds[i],
                                                       ", expected 1, 3, 4 or 5"));
    }
  }
  if (vocab.size() + added.size() == 0) metadata.Throw(ErrorCode::kDataLoss, "no tokens");
  Json merges = Json::array();
  for (const std::string_view merge : metadata.Strings("tokenizer.ggml.merges")) {
    merges.push_back(std::string(merge));
  }
  const Json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", false},
                           {"use_regex", false}};
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", kQwen2SplitPattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json tokenizer = {
      {"version", "1.0"},
      {"added_tokens", added},
      {"normalizer", {{"type", "NFC"}}},
      {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
      {"post_processor", byte_level},
      {"decoder", byte_level},
      {"model",
       {{"type", "BPE"},
        {"dropout", nullptr},
        {"unk_token", nullptr},
        {"continuing_subword_prefix", ""},
        {"end_of_word_suffix", ""},
        {"fuse_unk", false},
        {"byte_fallback", false},
        {"ignore_merges", false},
        {"vocab", vocab},
        {"merges", merges}}}};
  return tokenizer.dump();
}

std::string ConfigJson(const Metadata& language, const Metadata& vision, const Tokens& tokens,
                       const GgufFacts& facts) {
  std::vector<int32_t> sections = language.Numbers<int32_t>(
      "qwen2vl.rope.dimension_sections", GgufValueType::kI32, GgufValueType::kU32);
  if (sections.size() != 3 && sections.size() != 4) {
    language.Throw(ErrorCode::kDataLoss,
                   StrCat(sections.size(), " rope sections, expected 3 or 4"));
  }
  sections.resize(3);
  const int64_t width = facts.vision_width;
  if (width < 1 || facts.vision_mlp % width != 0) {
    vision.Throw(ErrorCode::kUnsupported, StrCat("a vision layer of ", facts.vision_mlp,
                                                 " inner numbers and ", width, " outer ones"));
  }
  Json config = {
      {"architectures", {"Qwen2VLForConditionalGeneration"}},
      {"model_type", "qwen2_vl"},
      {"hidden_act", "silu"},
      {"hidden_size", language.Int("qwen2vl.embedding_length")},
      {"intermediate_size", language.Int("qwen2vl.feed_forward_length")},
      {"max_position_embeddings", language.Int("qwen2vl.context_length")},
      {"num_attention_heads", language.Int("qwen2vl.attention.head_count")},
      {"num_hidden_layers", language.Int("qwen2vl.block_count")},
      {"num_key_value_heads", language.Int("qwen2vl.attention.head_count_kv")},
      {"rms_norm_eps", language.Float("qwen2vl.attention.layer_norm_rms_epsilon")},
      {"rope_theta", language.Float("qwen2vl.rope.freq_base")},
      {"rope_scaling", {{"type", "mrope"}, {"mrope_section", sections}}},
      {"tie_word_embeddings", !facts.has_head},
      {"vocab_size", facts.vocab_size},
      {"vision_config",
       {{"model_type", "qwen2_vl"},
        {"depth", vision.Int("clip.vision.block_count")},
        {"embed_dim", vision.Int("clip.vision.embedding_length")},
        {"num_heads", vision.Int("clip.vision.attention.head_count")},
        {"mlp_ratio", facts.vision_mlp / width},
        {"hidden_size", vision.Int("clip.vision.projection_dim")},
        {"hidden_act", "quick_gelu"},
        {"in_channels", 3},
        {"patch_size", vision.Int("clip.vision.patch_size")},
        {"spatial_merge_size", vision.FindInt("clip.vision.spatial_merge_size").value_or(2)},
        {"temporal_patch_size", 2}}}};
  for (const auto& [key, text] : {std::pair{"image_token_id", "<|image_pad|>"},
                                  {"video_token_id", "<|video_pad|>"},
                                  {"vision_start_token_id", "<|vision_start|>"},
                                  {"vision_end_token_id", "<|vision_end|>"}}) {
    if (const auto id = tokens.Find(text)) config[key] = *id;
  }
  return config.dump(1);
}

std::string GenerationJson(const Metadata& language, const Tokens& tokens) {
  const uint64_t eos = language.Int("tokenizer.ggml.eos_token_id");
  Json ids = {eos};
  // Published checkpoints of the family end at both.
  const auto end_of_text = tokens.Find("<|endoftext|>");
  if (end_of_text && static_cast<uint64_t>(*end_of_text) != eos) ids.push_back(*end_of_text);
  return Json{{"eos_token_id", ids}}.dump(1);
}

std::string PreprocessorJson(const Metadata& vision) {
  const auto numbers = [&](const char* key) {
    return vision.Numbers<float>(key, GgufValueType::kF32, GgufValueType::kF32);
  };
  const Json preprocessor = {
      {"min_pixels", vision.FindInt("clip.vision.image_min_pixels").value_or(kMinPixels)},
      {"max_pixels", vision.FindInt("clip.vision.image_max_pixels").value_or(kMaxPixels)},
      {"patch_size", vision.Int("clip.vision.patch_size")},
      {"temporal_patch_size", 2},
      {"merge_size", vision.FindInt("clip.vision.spatial_merge_size").value_or(2)},
      {"image_mean", numbers("clip.vision.image_mean")},
      {"image_std", numbers("clip.vision.image_std")},
      {"image_processor_type", "Qwen2VLImageProcessor"}};
  return preprocessor.dump(1);
}

void CheckVision(const Metadata& vision) {
  constexpr const char* kKeys[] = {"clip.projector_type", "clip.vision.projector_type"};
  std::string_view projector;
  for (const char* key : kKeys) {
    if (const auto found = vision.FindString(key)) projector = *found;
  }
  if (projector != "qwen2vl_merger") {
    vision.Throw(ErrorCode::kUnsupported, StrCat("projector '", PrintableName(projector, 40),
                                                 "', expected 'qwen2vl_merger'"));
  }
  if (vision.Bool("clip.use_gelu") || vision.Bool("clip.use_silu")) {
    vision.Throw(ErrorCode::kUnsupported, "another activation than quick_gelu");
  }
}

}  // namespace

std::map<std::string, std::string> GgufTextFiles(const Gguf& language, const Gguf& vision,
                                                 const GgufFacts& facts, std::string_view where) {
  const Metadata text(language, where);
  const Metadata picture(vision, where);
  CheckVision(picture);
  const Tokens tokens = ReadTokens(text);
  return {{"config.json", ConfigJson(text, picture, tokens, facts)},
          {"generation_config.json", GenerationJson(text, tokens)},
          {"preprocessor_config.json", PreprocessorJson(picture)},
          {"tokenizer.json", TokenizerJson(text, tokens)}};
}

}  // namespace octavo
