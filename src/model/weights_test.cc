#include "model/weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/thread_pool.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

using testing::EditedCheckpoint;
using testing::TinyModelSpec;

ModelWeights Load(const Checkpoint& checkpoint, bool narrow_to_bf16 = false) {
  ThreadPool pool(2);
  return LoadWeights(checkpoint, LoadModelConfig(checkpoint), narrow_to_bf16,
                     {&SelectedKernels(), &pool, nullptr});
}

void ExpectRefused(const Checkpoint& checkpoint, ErrorCode code, const std::string& words) {
  try {
    Load(checkpoint);
    FAIL() << "accepted; expected: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(Weights, BindsEveryTensorOfTheCheckpoint) {
  const auto checkpoint = testing::MakeTinyModel();
  const ModelWeights weights = Load(*checkpoint);
  EXPECT_EQ(weights.vision.blocks.size(), 2u);
  EXPECT_EQ(weights.vision.patch_embed.weight.k(), 96);
  EXPECT_EQ(weights.vision.mlp_0.weight.n(), 192);
  EXPECT_EQ(weights.text.layers.size(), 2u);
  EXPECT_EQ(weights.text.layers[0].k_proj.bias.size(), 32u);
  EXPECT_EQ(weights.text.layers[0].o_proj.bias_data(), nullptr);
  EXPECT_EQ(&weights.text.head(), &weights.text.embed_tokens);
  // A row of the table is the checkpoint's.
  const LoadedTensor table = checkpoint->Get("model.embed_tokens.weight");
  std::vector<float> expected(96);
  ToFloats(table.view, 96 * 7, 96, expected.data());
  std::vector<float> row(96);
  weights.text.embed_tokens.UnpackRow(7, row.data());
  EXPECT_EQ(row, expected);
}

TEST(Weights, KeepsAnUntiedHead) {
  TinyModelSpec spec;
  spec.tie_word_embeddings = false;
  const ModelWeights weights = Load(*testing::MakeTinyModel(spec));
  EXPECT_EQ(&weights.text.head(), &weights.text.lm_head);
  EXPECT_EQ(weights.text.lm_head.n(), 300);
}

TEST(Weights, TakeTheBytesThatWerePlanned) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const bool narrow : {false, true}) {
      TinyModelSpec spec;
      spec.dtype = dtype;
      spec.patch_size = 6;
      spec.intermediate_size = 75;  // odd, so that pairs of k are padded
      const auto checkpoint = testing::MakeTinyModel(spec);
      EXPECT_EQ(Load(*checkpoint, narrow).size_bytes,
                PlanWeightBytes(LoadModelConfig(*checkpoint), checkpoint->Tensors(), narrow))
          << DTypeName(dtype) << narrow;
    }
  }
}

TEST(Weights, NarrowsToBf16OnlyWhenAsked) {
  EXPECT_EQ(Load(*testing::MakeTinyModel()).text.embed_tokens.format(), ops::WeightFormat::kF32);
  const ModelWeights narrow = Load(*testing::MakeTinyModel(), true);
  EXPECT_EQ(narrow.text.embed_tokens.format(), ops::WeightFormat::kBF16);
  EXPECT_EQ(narrow.vision.blocks[0].fc1.weight.format(), ops::WeightFormat::kBF16);
}

TEST(Weights, RefusesWhatDoesNotFitTheConfigNamingTheTensor) {
  const std::string k_proj = "model.layers.1.self_attn.k_proj.weight";
  EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.RemoveTensor(k_proj);
  ExpectRefused(checkpoint, ErrorCode::kNotFound, k_proj);
  checkpoint.SetTensor(k_proj, DType::kF32, {96, 32});
  ExpectRefused(checkpoint, ErrorCode::kDataLoss,
                k_proj + " has shape [96, 32], expected [32, 96]");
  checkpoint.SetTensor(k_proj, DType::kI32, {32, 96});
  ExpectRefused(checkpoint, ErrorCode::kUnsupported, k_proj + " is I32");
  checkpoint.SetTensor(k_proj, DType::kF16, {32, 96});
  EXPECT_NO_THROW(Load(checkpoint));
  checkpoint.SetTensor("model.norm.weight", DType::kF32, {96, 1});
  ExpectRefused(checkpoint, ErrorCode::kDataLoss, "model.norm.weight");
}

TEST(Weights, RefusesNumbersThatAreNotFiniteInEveryDtype) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
          -std::numeric_limits<float>::infinity()}) {
      for (const char* name : {"visual.blocks.1.mlp.fc2.weight", "visual.merger.mlp.0.bias"}) {
        TinyModelSpec spec;
        spec.dtype = dtype;
        EditedCheckpoint checkpoint(testing::MakeTinyModel(spec));
        checkpoint.EditTensor(name, [&](std::vector<float>* values) { values->back() = bad; });
        ExpectRefused(checkpoint, ErrorCode::kDataLoss, name);
      }
    }
  }
}

TEST(Weights, RefusesMoreLayersThanTheConfigSays) {
  EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.EditTextFile("config.json", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1");
  ExpectRefused(checkpoint, ErrorCode::kDataLoss, "model.layers.1.");
  EditedCheckpoint vision(testing::MakeTinyModel());
  vision.EditTextFile("config.json", "\"depth\": 2", "\"depth\": 1");
  ExpectRefused(vision, ErrorCode::kDataLoss, "visual.blocks.1.");
  EditedCheckpoint missing(testing::MakeTinyModel());
  missing.EditTextFile("config.json", "\"depth\": 2", "\"depth\": 3");
  ExpectRefused(missing, ErrorCode::kNotFound, "visual.blocks.2.");
}

TEST(Weights, IgnoresTensorsThatNoModelNeeds) {
  EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.SetTensor("model.layers.0.self_attn.rotary_emb.inv_freq", DType::kF32, {16});
  checkpoint.SetTensor("lm_head.weight", DType::kF32, {1, 1});
  EXPECT_NO_THROW(Load(checkpoint)) << "tied: the head is not read";
}

}  // namespace
}  // namespace octavo
