#include "cli/synthetic_model.h"

#include <map>
#include <utility>

#include "base/str_cat.h"
#include "formats/synthetic_checkpoint.h"
#include "formats/synthetic_files.h"
#include "model/config.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Source: config.json and preprocessor_config.json of MinerU2.5-2509-1.2B.
constexpr SyntheticModelSpec kMineru25 = {.hidden_size = 896,
                                          .num_hidden_layers = 24,
                                          .num_attention_heads = 14,
                                          .num_key_value_heads = 2,
                                          .intermediate_size = 4864,
                                          .vocab_size = 151936,
                                          .max_position_embeddings = 16384,
                                          .mrope_section = {8, 12, 12},
                                          .vision_depth = 32,
                                          .vision_embed_dim = 1280,
                                          .vision_num_heads = 16,
                                          .min_pixels = 50176,
                                          .max_pixels = 1605632,
                                          .first_special_id = 151643};

// The ids of the special tokens stay where the full vocabulary has them, so the table of embeddings
// keeps its rows; everything else is small.
constexpr SyntheticModelSpec TinySpec() {
  SyntheticModelSpec spec = kMineru25;
  spec.hidden_size = 128;
  spec.num_hidden_layers = 2;
  spec.num_attention_heads = 2;
  spec.num_key_value_heads = 1;
  spec.intermediate_size = 256;
  spec.vision_depth = 2;
  spec.vision_embed_dim = 160;
  spec.vision_num_heads = 2;
  return spec;
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
  std::map<std::string, std::string> text_files =
      SyntheticModelFiles(name == "tiny" ? TinySpec() : kMineru25);
  const ModelConfig config = ParseModelConfig(text_files["config.json"],
                                              text_files["generation_config.json"], "synthetic");
  std::vector<TensorInfo> tensors = ExpectedTensors(config);
  for (TensorInfo& tensor : tensors) tensor.dtype = DType::kBF16;
  return MakeSyntheticCheckpoint(std::move(tensors), std::move(text_files), seed);
}

}  // namespace octavo
