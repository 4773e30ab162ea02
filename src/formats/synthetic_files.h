// The text files of a checkpoint of the Qwen2-VL family, made from sizes: config.json,
// generation_config.json, preprocessor_config.json, tokenizer.json. For synthetic checkpoints in
// benches and tests.
#ifndef OCTAVO_FORMATS_SYNTHETIC_FILES_H_
#define OCTAVO_FORMATS_SYNTHETIC_FILES_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>

namespace octavo {

// Names are those of config.json and preprocessor_config.json where these have one; vision_* are
// fields of vision_config. REQUIRES: vocab_size >= first_special_id + kNumSpecialTokens.
struct SyntheticModelSpec {
  int hidden_size = 0;
  int num_hidden_layers = 0;
  int num_attention_heads = 0;
  int num_key_value_heads = 0;
  int intermediate_size = 0;
  int vocab_size = 0;
  int max_position_embeddings = 0;
  bool tie_word_embeddings = true;
  std::array<int, 3> mrope_section = {};
  int vision_depth = 0;
  int vision_embed_dim = 0;
  int vision_num_heads = 0;
  int vision_mlp_ratio = 4;
  int patch_size = 14;
  int min_pixels = 0;
  int max_pixels = 0;
  // The special tokens of MinerU2.5 get consecutive ids from here, in the checkpoint's order.
  int32_t first_special_id = 0;
};

// <|endoftext|> to <|paratext|>.
inline constexpr int kNumSpecialTokens = 31;

// By file name. The tokenizer has a token for each of the 256 bytes (ids 0 to 255, no merges) and
// the special tokens; eos_token_id of config.json is <|im_end|>.
std::map<std::string, std::string> SyntheticModelFiles(const SyntheticModelSpec& spec);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_SYNTHETIC_FILES_H_
