#include "cli/synthetic_model.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "formats/synthetic_checkpoint.h"
#include "model/config.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

// Sizes that differ between the full architecture and the tiny one.
struct Sizes {
  int hidden_size, num_layers, num_heads, num_kv_heads, intermediate_size, vocab_size;
  std::array<int, 3> mrope_section;
  int vision_depth, vision_embed_dim, vision_num_heads;
};

// Source: config.json of MinerU2.5-2509-1.2B.
constexpr Sizes kMineru25 = {.hidden_size = 896,
                             .num_layers = 24,
                             .num_heads = 14,
                             .num_kv_heads = 2,
                             .intermediate_size = 4864,
                             .vocab_size = 151936,
                             .mrope_section = {8, 12, 12},
                             .vision_depth = 32,
                             .vision_embed_dim = 1280,
                             .vision_num_heads = 16};
// The ids of the special tokens stay where the full vocabulary has them, so the table of embeddings
// keeps its rows; everything else is small.
constexpr Sizes kTiny = {.hidden_size = 128,
                         .num_layers = 2,
                         .num_heads = 2,
                         .num_kv_heads = 1,
                         .intermediate_size = 256,
                         .vocab_size = 151936,
                         .mrope_section = {8, 12, 12},
                         .vision_depth = 2,
                         .vision_embed_dim = 160,
                         .vision_num_heads = 2};

constexpr int kFirstSpecialId = 151643;
// Source: added tokens of the MinerU2.5 checkpoints, ids 151643 upwards.
constexpr const char* kSpecialTokens[] = {"<|endoftext|>",
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

std::string ConfigJson(const Sizes& s) {
  Json config;
  config["architectures"] = {"Qwen2VLForConditionalGeneration"};
  config["model_type"] = "qwen2_vl";
  config["torch_dtype"] = "bfloat16";
  config["hidden_act"] = "silu";
  config["hidden_size"] = s.hidden_size;
  config["intermediate_size"] = s.intermediate_size;
  config["max_position_embeddings"] = 16384;
  config["num_attention_heads"] = s.num_heads;
  config["num_hidden_layers"] = s.num_layers;
  config["num_key_value_heads"] = s.num_kv_heads;
  config["rms_norm_eps"] = 1e-6;
  config["rope_theta"] = 1000000.0;
  config["rope_scaling"] = {{"type", "mrope"}, {"mrope_section", s.mrope_section}};
  config["tie_word_embeddings"] = true;
  config["use_sliding_window"] = false;
  config["vocab_size"] = s.vocab_size;
  config["bos_token_id"] = 151643;
  config["eos_token_id"] = 151645;
  config["vision_start_token_id"] = 151652;
  config["vision_end_token_id"] = 151653;
  config["vision_token_id"] = 151654;
  config["image_token_id"] = 151655;
  config["video_token_id"] = 151656;
  config["vision_config"] = {{"model_type", "qwen2_vl"},
                             {"depth", s.vision_depth},
                             {"embed_dim", s.vision_embed_dim},
                             {"num_heads", s.vision_num_heads},
                             {"mlp_ratio", 4},
                             {"hidden_size", s.hidden_size},
                             {"hidden_act", "quick_gelu"},
                             {"in_channels", 3},
                             {"in_chans", 3},
                             {"patch_size", 14},
                             {"spatial_merge_size", 2},
                             {"temporal_patch_size", 2}};
  return config.dump(1);
}

std::string GenerationJson() {
  Json generation;
  generation["bos_token_id"] = 151643;
  generation["pad_token_id"] = 151643;
  generation["eos_token_id"] = {151645, 151643};
  generation["do_sample"] = true;
  generation["temperature"] = 0.01;
  generation["top_p"] = 0.001;
  generation["top_k"] = 1;
  generation["repetition_penalty"] = 1.0;
  return generation.dump(1);
}

std::string PreprocessorJson() {
  Json preprocessor;
  preprocessor["min_pixels"] = 50176;
  preprocessor["max_pixels"] = 1605632;
  preprocessor["patch_size"] = 14;
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

std::string TokenizerJson() {
  Json tokenizer;
  tokenizer["version"] = "1.0";
  tokenizer["truncation"] = nullptr;
  tokenizer["padding"] = nullptr;
  tokenizer["added_tokens"] = Json::array();
  int id = kFirstSpecialId;
  for (const char* content : kSpecialTokens) {
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

const std::vector<std::string>& SyntheticTextFiles() {
  static const std::vector<std::string> files = {"config.json", "generation_config.json",
                                                 "preprocessor_config.json", "tokenizer.json"};
  return files;
}

std::unique_ptr<Checkpoint> OpenSyntheticModel(std::string_view name, uint64_t seed) {
  if (name != "mineru2.5" && name != "tiny") {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("no synthetic model '", name, "': expected mineru2.5 or tiny"));
  }
  const Sizes& sizes = name == "tiny" ? kTiny : kMineru25;
  std::map<std::string, std::string> text_files = {{"config.json", ConfigJson(sizes)},
                                                   {"generation_config.json", GenerationJson()},
                                                   {"preprocessor_config.json", PreprocessorJson()},
                                                   {"tokenizer.json", TokenizerJson()}};
  const ModelConfig config = ParseModelConfig(text_files["config.json"],
                                              text_files["generation_config.json"], "synthetic");
  std::vector<TensorInfo> tensors = ExpectedTensors(config);
  for (TensorInfo& tensor : tensors) tensor.dtype = DType::kBF16;
  return MakeSyntheticCheckpoint(std::move(tensors), std::move(text_files), seed);
}

}  // namespace octavo
