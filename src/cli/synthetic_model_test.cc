#include "cli/synthetic_model.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "text/tokenizer_loader.h"
#include "vision/preprocess.h"

namespace octavo {
namespace {

TEST(SyntheticModel, HasTheTensorsOfThePublishedCheckpoint) {
  const auto checkpoint = OpenSyntheticModel("mineru2.5", 1);
  EXPECT_EQ(checkpoint->Tensors().size(), 681u);
  int64_t parameters = 0;
  for (const TensorInfo& tensor : checkpoint->Tensors()) {
    parameters += tensor.shape.num_elements();
    EXPECT_EQ(tensor.dtype, DType::kBF16);
  }
  EXPECT_EQ(parameters, 1156026624);
}

TEST(SyntheticModel, CarriesFilesThatLoad) {
  const auto checkpoint = OpenSyntheticModel("mineru2.5", 1);
  const Tokenizer tokenizer =
      LoadTokenizerJson(checkpoint->GetTextFile("tokenizer.json"), "tokenizer.json");
  EXPECT_EQ(tokenizer.FindToken("<|image_pad|>"), 151655);
  EXPECT_EQ(tokenizer.Decode(tokenizer.Encode("h\xC3\xA9<nl>"), false), "h\xC3\xA9<nl>");
  const PreprocessorConfig preprocessor = ParsePreprocessorConfig(
      checkpoint->GetTextFile("preprocessor_config.json"), "preprocessor_config.json");
  EXPECT_EQ(preprocessor.max_pixels, 1605632);
}

TEST(SyntheticModel, RefusesANameItDoesNotKnow) {
  EXPECT_THROW(OpenSyntheticModel("mineru9", 1), Error);
}

}  // namespace
}  // namespace octavo
