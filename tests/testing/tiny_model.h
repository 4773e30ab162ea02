// A random-weight model of the real architecture in memory: whole file set, no download.
#ifndef OCTAVO_TESTS_TESTING_TINY_MODEL_H_
#define OCTAVO_TESTS_TESTING_TINY_MODEL_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "formats/checkpoint.h"

namespace octavo::testing {

// Defaults: two layers each, odd sizes on purpose (no K is a multiple of 128).
struct TinyModelSpec {
  int hidden_size = 96;
  int num_hidden_layers = 2;
  int num_attention_heads = 3;
  int num_key_value_heads = 1;
  int intermediate_size = 152;
  int vocab_size = 300;  // 287 ids have a token: 256 bytes and 31 markers
  std::array<int, 3> mrope_section = {4, 6, 6};
  bool tie_word_embeddings = true;
  int max_position_embeddings = 512;
  int vision_depth = 2;
  int embed_dim = 48;
  int vision_num_heads = 3;
  int patch_size = 4;
  DType dtype = DType::kF32;
  uint64_t seed = 1;
};

inline constexpr int32_t kTinyEosId = 258;  // <|im_end|>

// config.json, generation_config.json, preprocessor_config.json, tokenizer.json. The tokenizer has
// one token a byte and the family's markers.
std::map<std::string, std::string> TinyModelTextFiles(const TinyModelSpec& spec);

std::unique_ptr<Checkpoint> MakeTinyModel(const TinyModelSpec& spec = {});

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_TINY_MODEL_H_
