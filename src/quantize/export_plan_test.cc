#include "quantize/export_plan.h"

#include <gtest/gtest.h>

#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/error_code.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

using testing::ErrorCodeOf;

std::vector<PlannedTensor> Plan(const Checkpoint& checkpoint, const ExportOptions& options) {
  return PlanExport(LoadModelConfig(checkpoint), checkpoint.Tensors(), options);
}

const PlannedTensor& Find(const std::vector<PlannedTensor>& plan, const std::string& name) {
  for (const PlannedTensor& planned : plan) {
    if (planned.tensor.name == name) return planned;
  }
  ADD_FAILURE() << name;
  return plan.front();
}

TEST(ExportPlan, KnowsThePartsOfAModel) {
  EXPECT_EQ(PartOfTensor("visual.merger.mlp.0.weight"), ModelPart::kVision);
  EXPECT_EQ(PartOfTensor("model.embed_tokens.weight"), ModelPart::kHead);
  EXPECT_EQ(PartOfTensor("lm_head.weight"), ModelPart::kHead);
  EXPECT_EQ(PartOfTensor("model.layers.0.mlp.up_proj.weight"), ModelPart::kLanguage);
}

TEST(ExportPlan, KeepsFormsUnlessAsked) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    testing::TinyModelSpec spec;
    spec.dtype = dtype;
    const auto checkpoint = testing::MakeTinyModel(spec);
    const auto plan = Plan(*checkpoint, {});
    EXPECT_EQ(plan.size(), checkpoint->Tensors().size());
    EXPECT_EQ(Find(plan, "visual.patch_embed.proj.weight").tensor.layout,
              PackedLayout::Float(dtype, 48, 96));
  }
  const auto plan = Plan(*testing::MakeTinyModel(), {.head = MatrixForm::kBF16});
  EXPECT_EQ(Find(plan, "model.embed_tokens.weight").tensor.layout.format, WeightFormat::kBF16);
  EXPECT_EQ(Find(plan, "model.layers.0.mlp.up_proj.weight").tensor.layout.format,
            WeightFormat::kF32);
}

TEST(ExportPlan, TakesTheLargestGroupThatDivides) {
  const auto plan =
      Plan(*testing::MakeTinyModel(),
           {.language = MatrixForm::kW4, .head = MatrixForm::kW8, .vision = MatrixForm::kW8});
  const auto layout = [&](const char* name) { return Find(plan, name).tensor.layout.Describe(); };
  EXPECT_EQ(layout("model.layers.1.self_attn.q_proj.weight"), "W4 g32");  // K = 96
  EXPECT_EQ(layout("model.embed_tokens.weight"), "W8 g32 +-63");
  EXPECT_EQ(layout("visual.merger.mlp.0.weight"), "W8 g64 +-63");  // K = 192
  EXPECT_EQ(layout("visual.patch_embed.proj.weight"), "W8 g32 +-63");
  EXPECT_EQ(layout("model.layers.1.mlp.down_proj.weight"), "F32");  // K = 152
  EXPECT_EQ(Find(plan, "model.layers.1.mlp.down_proj.weight").note,
            "no group of 32 or more divides its 152 inputs");
  EXPECT_EQ(layout("visual.blocks.0.attn.proj.weight"), "F32");  // K = 48
  const auto small = Plan(*testing::MakeTinyModel(), {.vision = MatrixForm::kW4, .group_size = 32});
  EXPECT_EQ(Find(small, "visual.merger.mlp.0.weight").tensor.layout.Describe(), "W4 g32");
}

TEST(ExportPlan, WhatDoesNotFitIsRefusedByName) {
  testing::EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.SetTensor("model.norm.weight", DType::kF32, {95});
  EXPECT_EQ(ErrorCodeOf([&] { Plan(checkpoint, {}); }, "model.norm.weight has shape [95]"),
            ErrorCode::kDataLoss);
  checkpoint.RemoveTensor("model.norm.weight");
  EXPECT_EQ(ErrorCodeOf([&] { Plan(checkpoint, {}); }, "no tensor 'model.norm.weight'"),
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace octavo
