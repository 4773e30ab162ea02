#include "engine/model_files.h"

#include "base/str_cat.h"
#include "octavo/error.h"
#include "text/tokenizer_loader.h"

namespace octavo {
namespace {

void RequireEqual(std::string_view where, const char* name, int found, int expected) {
  if (found == expected) return;
  throw Error(ErrorCode::kDataLoss,
              StrCat(where, ": ", name, " is ", found, ", config.json says ", expected));
}

void CheckTokenizerFits(const Tokenizer& tokenizer, const ModelConfig& config,
                        std::string_view where) {
  if (tokenizer.vocab_size() > config.text.vocab_size) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where, ": ids up to ", tokenizer.vocab_size() - 1,
                       ", config.json has a vocabulary of ", config.text.vocab_size));
  }
  // The chat template writes this token; the model knows it by id.
  const std::optional<int32_t> image_pad = tokenizer.FindToken("<|image_pad|>");
  if (!image_pad) {
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": has no token <|image_pad|>"));
  }
  RequireEqual(where, "the id of <|image_pad|>", *image_pad, config.image_token_id);
}

}  // namespace

void CheckPreprocessorFits(const PreprocessorConfig& preprocessor, const VisionConfig& vision,
                           std::string_view where) {
  RequireEqual(where, "patch_size", preprocessor.patch_size, vision.patch_size);
  RequireEqual(where, "temporal_patch_size", preprocessor.temporal_patch_size,
               vision.temporal_patch_size);
  RequireEqual(where, "merge_size", preprocessor.merge_size, vision.spatial_merge_size);
}

ModelFiles LoadModelFiles(const Checkpoint& checkpoint) {
  const std::string folder = checkpoint.Source() + "/";
  ModelConfig config = LoadModelConfig(checkpoint);
  const std::string preprocessor_where = folder + "preprocessor_config.json";
  const PreprocessorConfig preprocessor = ParsePreprocessorConfig(
      checkpoint.GetTextFile("preprocessor_config.json"), preprocessor_where);
  CheckPreprocessorFits(preprocessor, config.vision, preprocessor_where);
  const std::string tokenizer_where = folder + "tokenizer.json";
  Tokenizer tokenizer =
      LoadTokenizerJson(checkpoint.GetTextFile("tokenizer.json"), tokenizer_where);
  CheckTokenizerFits(tokenizer, config, tokenizer_where);
  return {std::move(config), preprocessor, std::move(tokenizer)};
}

}  // namespace octavo
