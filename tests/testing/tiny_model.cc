#include "tests/testing/tiny_model.h"

#include <utility>

#include "formats/synthetic_checkpoint.h"
#include "model/config.h"

namespace octavo::testing {

TinyModelSpec::TinyModelSpec() {
  hidden_size = 96;
  num_hidden_layers = 2;
  num_attention_heads = 3;
  num_key_value_heads = 1;
  intermediate_size = 152;
  vocab_size = 300;
  mrope_section = {4, 6, 6};
  max_position_embeddings = 512;
  vision_depth = 2;
  vision_embed_dim = 48;
  vision_num_heads = 3;
  vision_mlp_ratio = 2;
  patch_size = 4;
  min_pixels = 4 * 8 * 8;  // a cell of merged patches is 8 x 8 pixels
  max_pixels = 36 * 8 * 8;
  first_special_id = 256;
}

std::unique_ptr<Checkpoint> MakeTinyModel(const TinyModelSpec& spec) {
  std::map<std::string, std::string> files = SyntheticModelFiles(spec);
  std::vector<TensorInfo> tensors =
      ExpectedTensors(ParseModelConfig(files.at("config.json"), "", "tiny"));
  for (TensorInfo& tensor : tensors) tensor.dtype = spec.dtype;
  return MakeSyntheticCheckpoint(std::move(tensors), std::move(files), spec.seed);
}

}  // namespace octavo::testing
