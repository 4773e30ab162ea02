#include "formats/synthetic_files.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/utf8.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

// Source: added tokens of the MinerU2.5 checkpoints, where the first has id 151643.
constexpr std::array<std::string_view, kNumSpecialTokens> kSpecialTokens = {"<|endoftext|>",
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

// Places of the special tokens above that the config names.
enum Special : int32_t {
  kEndOfText = 0,
  kImEnd = 2,
  kVisionStart = 9,
  kVisionEnd = 10,
  kVisionPad = 11,
  kImagePad = 12,
  kVideoPad = 13,
};

std::string ConfigJson(const SyntheticModelSpec& spec) {
  const int32_t first = spec.first_special_id;
  Json config;
  config["architectures"] = {"Qwen2VLForConditionalGeneration"};
  config["model_type"] = "qwen2_vl";
  config["torch_dtype"] = "bfloat16";
  config["hidden_act"] = "silu";
  config["hidden_size"] = spec.hidden_size;
  config["intermediate_size"] = spec.intermediate_size;
  config["max_position_embeddings"] = spec.max_position_embeddings;
  config["num_attention_heads"] = spec.num_attention_heads;
  config["num_hidden_layers"] = spec.num_hidden_layers;
  config["num_key_value_heads"] = spec.num_key_value_heads;
  config["rms_norm_eps"] = 1e-6;
  config["rope_theta"] = 1000000.0;
  config["rope_scaling"] = {{"type", "mrope"}, {"mrope_section", spec.mrope_section}};
  config["tie_word_embeddings"] = spec.tie_word_embeddings;
  config["use_sliding_window"] = false;
  config["vocab_size"] = spec.vocab_size;
  config["bos_token_id"] = first + kEndOfText;
  config["eos_token_id"] = first + kImEnd;
  config["vision_start_token_id"] = first + kVisionStart;
  config["vision_end_token_id"] = first + kVisionEnd;
  config["vision_token_id"] = first + kVisionPad;
  config["image_token_id"] = first + kImagePad;
  config["video_token_id"] = first + kVideoPad;
  config["vision_config"] = {{"model_type", "qwen2_vl"},
                             {"depth", spec.vision_depth},
                             {"embed_dim", spec.vision_embed_dim},
                             {"num_heads", spec.vision_num_heads},
                             {"mlp_ratio", spec.vision_mlp_ratio},
                             {"hidden_size", spec.hidden_size},
                             {"hidden_act", "quick_gelu"},
                             {"in_channels", 3},
                             {"in_chans", 3},
                             {"patch_size", spec.patch_size},
                             {"spatial_merge_size", 2},
                             {"temporal_patch_size", 2}};
  return config.dump(1);
}

std::string GenerationJson(int32_t first_special_id) {
  const int32_t end_of_text = first_special_id + kEndOfText;
  Json generation;
  generation["bos_token_id"] = end_of_text;
  generation["pad_token_id"] = end_of_text;
  generation["eos_token_id"] = {first_special_id + kImEnd, end_of_text};
  generation["do_sample"] = true;
  generation["temperature"] = 0.01;
  generation["top_p"] = 0.001;
  generation["top_k"] = 1;
  generation["repetition_penalty"] = 1.0;
  return generation.dump(1);
}

std::string PreprocessorJson(const SyntheticModelSpec& spec) {
  Json preprocessor;
  preprocessor["min_pixels"] = spec.min_pixels;
  preprocessor["max_pixels"] = spec.max_pixels;
  preprocessor["patch_size"] = spec.patch_size;
  preprocessor["temporal_patch_size"] = 2;
  preprocessor["merge_size"] = 2;
  preprocessor["image_mean"] = {0.48145466, 0.4578275, 0.40821073};
  preprocessor["image_std"] = {0.26862954, 0.26130258, 0.27577711};
  preprocessor["resample"] = 3;
  preprocessor["rescale_factor"] = 1.0 / 255;
  for (const char* flag : {"do_convert_rgb", "do_normalize", "do_rescale", "do_resize"}) {
    preprocessor[flag] = true;
  }
  preprocessor["image_processor_type"] = "Qwen2VLImageProcessor";
  preprocessor["processor_class"] = "Qwen2VLProcessor";
  return preprocessor.dump(1);
}

// The visible character that stands for a byte in byte-level BPE files: printable Latin-1 bytes
// stand for themselves, the other 68 are numbered from U+0100.
// Source: bytes_to_unicode of GPT-2.
std::string ByteCharacter(int byte) {
  const auto visible = [](int b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  };
  std::string text;
  if (visible(byte)) {
    AppendUtf8(static_cast<char32_t>(byte), &text);
    return text;
  }
  int index = 0;
  for (int b = 0; b < byte; ++b) index += visible(b) ? 0 : 1;
  AppendUtf8(static_cast<char32_t>(0x100 + index), &text);
  return text;
}

std::string TokenizerJson(int32_t first_special_id) {
  Json tokenizer;
  tokenizer["version"] = "1.0";
  tokenizer["truncation"] = nullptr;
  tokenizer["padding"] = nullptr;
  tokenizer["added_tokens"] = Json::array();
  int32_t id = first_special_id;
  for (const std::string_view content : kSpecialTokens) {
    tokenizer["added_tokens"].push_back({{"id", id++},
                                         {"content", content},
                                         {"single_word", false},
                                         {"lstrip", false},
                                         {"rstrip", false},
                                         {"normalized", false},
                                         {"special", true}});
  }
  tokenizer["normalizer"] = {{"type", "NFC"}};
  const char* pattern =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
      "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
      "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  const Json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", false},
                           {"use_regex", false}};
  const Json split = {{"type", "Split"},
                      {"pattern", {{"Regex", pattern}}},
                      {"behavior", "Isolated"},
                      {"invert", false}};
  tokenizer["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}};
  tokenizer["post_processor"] = byte_level;
  tokenizer["decoder"] = byte_level;
  Json vocab = Json::object();
  for (int byte = 0; byte < 256; ++byte) vocab[ByteCharacter(byte)] = byte;
  tokenizer["model"] = {{"type", "BPE"},
                        {"dropout", nullptr},
                        {"unk_token", nullptr},
                        {"continuing_subword_prefix", ""},
                        {"end_of_word_suffix", ""},
                        {"fuse_unk", false},
                        {"byte_fallback", false},
                        {"ignore_merges", false},
                        {"vocab", vocab},
                        {"merges", Json::array()}};
  return tokenizer.dump();
}

}  // namespace

std::map<std::string, std::string> SyntheticModelFiles(const SyntheticModelSpec& spec) {
  OCTAVO_CHECK(spec.vocab_size >= spec.first_special_id + kNumSpecialTokens);
  return {{"config.json", ConfigJson(spec)},
          {"generation_config.json", GenerationJson(spec.first_special_id)},
          {"preprocessor_config.json", PreprocessorJson(spec)},
          {"tokenizer.json", TokenizerJson(spec.first_special_id)}};
}

}  // namespace octavo
