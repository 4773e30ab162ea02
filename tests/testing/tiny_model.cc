#include "tests/testing/tiny_model.h"

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "formats/synthetic_checkpoint.h"
#include "model/config.h"

namespace octavo::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr int32_t kFirstMarkerId = 256;
constexpr const char* kMarkers[] = {"<|endoftext|>",
                                    "<|im_start|>",
                                    "<|im_end|>",
                                    "<|object_ref_start|>",
                                    "<|object_ref_end|>",
                                    "<|box_start|>",
                                    "<|box_end|>",
                                    "<|quad_start|>",
                                    "<|quad_end|>",
                                    "<|vision_start|>",
                                    "<|vision_end|>",
                                    "<|vision_pad|>",
                                    "<|image_pad|>",
                                    "<|video_pad|>",
                                    "<|ref_start|>",
                                    "<|ref_end|>",
                                    "<|md_start|>",
                                    "<|md_end|>",
                                    "<ched>",
                                    "<ecel>",
                                    "<fcel>",
                                    "<lcel>",
                                    "<ucel>",
                                    "<xcel>",
                                    "<nl>",
                                    "<|rotate_up|>",
                                    "<|rotate_down|>",
                                    "<|rotate_left|>",
                                    "<|rotate_right|>",
                                    "<|txt_contd|>",
                                    "<|paratext|>"};

std::string ConfigJson(const TinyModelSpec& spec) {
  Json config;
  config["architectures"] = {"Qwen2VLForConditionalGeneration"};
  config["model_type"] = "qwen2_vl";
  config["hidden_size"] = spec.hidden_size;
  config["num_hidden_layers"] = spec.num_hidden_layers;
  config["num_attention_heads"] = spec.num_attention_heads;
  config["num_key_value_heads"] = spec.num_key_value_heads;
  config["intermediate_size"] = spec.intermediate_size;
  config["vocab_size"] = spec.vocab_size;
  config["max_position_embeddings"] = spec.max_position_embeddings;
  config["rms_norm_eps"] = 1e-6;
  config["rope_theta"] = 1e6;
  config["rope_scaling"] = {{"type", "mrope"}, {"mrope_section", spec.mrope_section}};
  config["tie_word_embeddings"] = spec.tie_word_embeddings;
  config["hidden_act"] = "silu";
  config["eos_token_id"] = kTinyEosId;
  config["vision_start_token_id"] = 265;
  config["vision_end_token_id"] = 266;
  config["vision_token_id"] = 267;
  config["image_token_id"] = 268;
  config["video_token_id"] = 269;
  config["vision_config"] = {{"depth", spec.vision_depth},
                             {"embed_dim", spec.embed_dim},
                             {"num_heads", spec.vision_num_heads},
                             {"mlp_ratio", 2},
                             {"hidden_size", spec.hidden_size},
                             {"patch_size", spec.patch_size},
                             {"temporal_patch_size", 2},
                             {"spatial_merge_size", 2},
                             {"in_channels", 3},
                             {"hidden_act", "quick_gelu"}};
  return config.dump(1);
}

std::string PreprocessorJson(const TinyModelSpec& spec) {
  const int cell = 2 * spec.patch_size;
  Json json;
  json["min_pixels"] = 4 * cell * cell;
  json["max_pixels"] = 36 * cell * cell;
  json["patch_size"] = spec.patch_size;
  json["temporal_patch_size"] = 2;
  json["merge_size"] = 2;
  json["image_mean"] = {0.48145466, 0.4578275, 0.40821073};
  json["image_std"] = {0.26862954, 0.26130258, 0.27577711};
  json["rescale_factor"] = 1.0 / 255;
  json["resample"] = 3;
  return json.dump(1);
}

// How byte-level vocabularies spell a byte: printable Latin-1 as itself, the others from U+0100.
std::string SpellByte(int byte) {
  const auto is_printable = [](int b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
  };
  char32_t code_point = static_cast<char32_t>(byte);
  if (!is_printable(byte)) {
    code_point = 256;
    for (int b = 0; b < byte; ++b) code_point += is_printable(b) ? 0 : 1;
  }
  std::string text;
  AppendUtf8(code_point, &text);
  return text;
}

std::string TokenizerJson() {
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) vocab[SpellByte(byte)] = byte;
  Json added = Json::array();
  int32_t id = kFirstMarkerId;
  for (const char* marker : kMarkers) {
    added.push_back({{"id", id++},
                     {"content", marker},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", marker[1] == '|'}});
  }
  const char* pattern =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+"
      "[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  const Json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", false},
                           {"use_regex", false}};
  Json json;
  json["version"] = "1.0";
  json["truncation"] = nullptr;
  json["padding"] = nullptr;
  json["added_tokens"] = added;
  json["normalizer"] = {{"type", "NFC"}};
  json["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers", Json::array({split, byte_level})}};
  json["post_processor"] = byte_level;
  json["decoder"] = byte_level;
  json["model"] = {{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", nullptr},
                   {"continuing_subword_prefix", ""},
                   {"end_of_word_suffix", ""},
                   {"fuse_unk", false},
                   {"byte_fallback", false},
                   {"vocab", vocab},
                   {"merges", Json::array()}};
  return json.dump();
}

}  // namespace

std::map<std::string, std::string> TinyModelTextFiles(const TinyModelSpec& spec) {
  return {{"config.json", ConfigJson(spec)},
          {"generation_config.json", R"({"eos_token_id": [258, 256]})"},
          {"preprocessor_config.json", PreprocessorJson(spec)},
          {"tokenizer.json", TokenizerJson()}};
}

std::unique_ptr<Checkpoint> MakeTinyModel(const TinyModelSpec& spec) {
  const std::map<std::string, std::string> files = TinyModelTextFiles(spec);
  std::vector<TensorInfo> tensors =
      ExpectedTensors(ParseModelConfig(files.at("config.json"), "", "tiny"));
  for (TensorInfo& tensor : tensors) tensor.dtype = spec.dtype;
  return MakeSyntheticCheckpoint(std::move(tensors), files, spec.seed);
}

}  // namespace octavo::testing
