// Through Model, which gives the language model its workspace.
#include "model/language_model.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/test_support.h"
#include "tests/testing/edited_checkpoint.h"

namespace octavo {
namespace {

using namespace testing;  // NOLINT: the floor's own test support

class LanguageModelTest : public ::testing::TestWithParam<Compute> {};

TEST_P(LanguageModelTest, PrefillInChunksEqualsPrefillAtOnce) {
  TinyModelSpec spec;
  spec.dtype = DType::kBF16;
  Rig rig(*MakeTinyModel(spec), GetParam());
  Text text = MakeText(&rig, 150, 1);
  const std::vector<float> expected = RunAtOnce(&rig, text);
  for (const int64_t chunk : {1, 7, 32, 64, 149}) {
    text.num_cached = 0;
    std::vector<float> got;
    while (text.num_cached < 150) {
      got = Step(&rig, {{&text, std::min<int64_t>(chunk, 150 - text.num_cached)}})[0];
    }
    EXPECT_EQ(got, expected) << "chunks of " << chunk;
  }
}

TEST_P(LanguageModelTest, BatchOfSequencesEqualsEachAlone) {
  TinyModelSpec spec;
  spec.dtype = DType::kBF16;
  Rig rig(*MakeTinyModel(spec), GetParam());
  std::vector<Text> texts;
  std::vector<std::vector<float>> expected;
  for (const int64_t num_tokens : {40, 1, 33, 5, 64, 70}) {
    texts.push_back(MakeText(&rig, num_tokens, static_cast<uint64_t>(num_tokens)));
    expected.push_back(RunAtOnce(&rig, texts.back()));
  }
  // Everything but the last token in one batch, then the last tokens of all together.
  std::vector<std::pair<Text*, int64_t>> prefill;
  std::vector<std::pair<Text*, int64_t>> decode;
  for (Text& text : texts) {
    const auto count = static_cast<int64_t>(text.ids.size()) - 1;
    if (count > 0) prefill.push_back({&text, count});
    decode.push_back({&text, 1});
  }
  Step(&rig, prefill);
  const auto got = Step(&rig, decode);
  for (size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(got[i], expected[i]) << "sequence " << i;
}

INSTANTIATE_TEST_SUITE_P(Compute, LanguageModelTest,
                         ::testing::Values(Compute::kF32, Compute::kBF16), [](const auto& param) {
                           return param.param == Compute::kF32 ? "F32" : "BF16";
                         });

TEST(LanguageModel, ThreadsDoNotChangeABit) {
  const auto checkpoint = MakeTinyModel();
  std::vector<float> expected;
  for (const int num_threads : {1, 2, 5}) {
    Rig rig(*checkpoint, Compute::kF32, num_threads);
    const std::vector<float> got = RunAtOnce(&rig, MakeText(&rig, 200, 3));
    if (expected.empty()) expected = got;
    EXPECT_EQ(got, expected) << num_threads;
  }
}

TEST(LanguageModel, AnImageRowReplacesAnEmbedding) {
  Rig rig(*MakeTinyModel());
  Text text = MakeText(&rig, 10, 1);
  const std::vector<float> plain = RunAtOnce(&rig, text);
  std::vector<float> row(96);
  const LoadedTensor table = MakeTinyModel()->Get("model.embed_tokens.weight");
  ToFloats(table.view, text.ids[3] * 96, 96, row.data());
  EXPECT_EQ(Step(&rig, {{&text, 10}}, row.data())[0], plain) << "the same embedding";
  row[5] += 1;
  text.num_cached = 0;
  EXPECT_NE(Step(&rig, {{&text, 10}}, row.data())[0], plain);
}

TEST(LanguageModel, AnUntiedHeadGivesItsOwnLogits) {
  TinyModelSpec spec;
  spec.tie_word_embeddings = false;
  const auto untied = MakeTinyModel(spec);
  Rig rig(*untied);
  const std::vector<float> got = RunAtOnce(&rig, MakeText(&rig, 9, 1));
  Rig tied(*MakeTinyModel());
  EXPECT_NE(got, RunAtOnce(&tied, MakeText(&tied, 9, 1)));
  EditedCheckpoint zero(std::shared_ptr<const Checkpoint>(MakeTinyModel(spec)));
  zero.SetTensor("lm_head.weight", DType::kF32, {kVocabSize, 96});
  Rig without_head(zero);
  const std::vector<float> zeros = RunAtOnce(&without_head, MakeText(&without_head, 9, 1));
  EXPECT_EQ(zeros, std::vector<float>(kVocabSize, 0.0f));
}

}  // namespace
}  // namespace octavo
