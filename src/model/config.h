// ModelConfig: config.json and generation_config.json of a Qwen2-VL checkpoint, validated.
// Fields are named as in the files; flat and nested files give the same struct.
#ifndef OCTAVO_MODEL_CONFIG_H_
#define OCTAVO_MODEL_CONFIG_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo {

struct VisionConfig {
  int depth = 0;
  int embed_dim = 0;    // width of the tower
  int hidden_size = 0;  // width after the merger: the language model's
  int num_heads = 0;
  int mlp_dim = 0;  // embed_dim * mlp_ratio
  int in_channels = 3;
  int patch_size = 14;
  int temporal_patch_size = 2;
  int spatial_merge_size = 2;

  int head_dim() const { return embed_dim / num_heads; }
  int patch_dim() const { return in_channels * temporal_patch_size * patch_size * patch_size; }
};

struct TextConfig {
  int hidden_size = 0;
  int num_hidden_layers = 0;
  int num_attention_heads = 0;
  int num_key_value_heads = 0;
  int intermediate_size = 0;
  int vocab_size = 0;
  int max_position_embeddings = 0;
  float rms_norm_eps = 1e-6f;
  double rope_theta = 1e6;
  std::array<int, 3> mrope_section = {0, 0, 0};  // t, h, w; sums to head_dim / 2
  bool tie_word_embeddings = false;

  int head_dim() const { return hidden_size / num_attention_heads; }
};

inline constexpr int32_t kNoToken = -1;

struct ModelConfig {
  std::string model_type;
  std::string torch_dtype;  // "bfloat16", "float32", …; "" if the file does not say
  VisionConfig vision;
  TextConfig text;
  int32_t image_token_id = 0;
  int32_t video_token_id = kNoToken;  // these three: kNoToken if the file does not say
  int32_t vision_start_token_id = kNoToken;
  int32_t vision_end_token_id = kNoToken;
  std::vector<int32_t> eos_token_ids;  // of generation_config.json, else of config.json
};

// Parses and validates one config.json. `generation_json` may be empty. Keys are looked up in
// text_config first, then at the root; unknown keys are ignored.
// Source: configuration_qwen2_vl.py of transformers 5.23 (names, defaults).
// Throws kDataLoss (not JSON, a field absent, of a wrong type or out of range), kUnsupported
// (another model, activation, rope or quantisation than octavo runs).
ModelConfig ParseModelConfig(std::string_view config_json, std::string_view generation_json,
                             std::string_view where);

// The config of an opened checkpoint. Embeddings serve as the head, with a warning in the log, if
// the files say "not tied" and bring no lm_head.weight. Throws as ParseModelConfig; kNotFound.
ModelConfig LoadModelConfig(const Checkpoint& checkpoint);

// Every tensor that a model of this config consists of, with its shape (dtype is not set), in file
// order. `lm_head.weight` is listed only if embeddings are not tied.
std::vector<TensorInfo> ExpectedTensors(const ModelConfig& config);

}  // namespace octavo

#endif  // OCTAVO_MODEL_CONFIG_H_
