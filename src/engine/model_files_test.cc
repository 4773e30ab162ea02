#include "engine/model_files.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

using testing::EditedCheckpoint;

EditedCheckpoint Tiny() { return EditedCheckpoint(testing::MakeTinyModel()); }

ErrorCode CodeOf(const Checkpoint& checkpoint, const char* words) {
  try {
    LoadModelFiles(checkpoint);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted: " << words;
  return ErrorCode::kIo;
}

TEST(ModelFiles, ReadsTheTinyModel) {
  const ModelFiles files = LoadModelFiles(Tiny());
  EXPECT_EQ(files.config.eos_token_ids, (std::vector<int32_t>{258, 256}));
  EXPECT_EQ(files.preprocessor.patch_size, 4);
  EXPECT_EQ(files.tokenizer.vocab_size(), 287);
}

TEST(ModelFiles, RefusesAPreprocessorOfAnotherPatchSize) {
  EditedCheckpoint checkpoint = Tiny();
  checkpoint.EditTextFile("preprocessor_config.json", "\"patch_size\": 4", "\"patch_size\": 6");
  EXPECT_EQ(CodeOf(checkpoint, "patch_size is 6"), ErrorCode::kDataLoss);
}

TEST(ModelFiles, RefusesATokenizerWithMoreIdsThanEmbeddings) {
  EditedCheckpoint checkpoint = Tiny();
  checkpoint.EditTextFile("config.json", "\"vocab_size\": 300", "\"vocab_size\": 286");
  EXPECT_EQ(CodeOf(checkpoint, "ids up to 286"), ErrorCode::kDataLoss);
}

TEST(ModelFiles, RefusesAnotherImageToken) {
  EditedCheckpoint checkpoint = Tiny();
  checkpoint.EditTextFile("config.json", "\"image_token_id\": 268", "\"image_token_id\": 267");
  EXPECT_EQ(CodeOf(checkpoint, "<|image_pad|>"), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
