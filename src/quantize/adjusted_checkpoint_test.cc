#include "quantize/adjusted_checkpoint.h"

#include <gtest/gtest.h>

#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

TEST(Adjust, ScalesColumnsThenClipsThenScalesRows) {
  std::vector<float> values = {1, 2, 3, 4, -5, 6, 7, 8};
  Adjust({.columns = {1, 2, 1, 0.5f}, .clip = {3, 2, 10, 10}, .clip_group = 2, .rows = {1, 10}}, 2,
         4, values.data());
  EXPECT_EQ(values, (std::vector<float>{1, 3, 2, 2, -50, 100, 70, 40}));
}

TEST(AdjustedCheckpoint, ChangesTheNamedTensorsOnly) {
  testing::TinyModelSpec spec;
  spec.dtype = DType::kBF16;
  const auto original = testing::MakeTinyModel(spec);
  const std::string name = "model.layers.0.input_layernorm.weight";
  const int64_t width = original->Get(name).view.shape[0];
  TensorAdjustment half;
  half.rows.assign(static_cast<size_t>(width), 0.5f);
  const AdjustedCheckpoint adjusted(*original, {{name, half}});
  const LoadedTensor before = original->Get(name);
  const LoadedTensor after = adjusted.Get(name);
  ASSERT_EQ(after.view.dtype, DType::kF32);
  for (int64_t i = 0; i < width; ++i) {
    float x;
    float y;
    ToFloats(before.view, i, 1, &x);
    ToFloats(after.view, i, 1, &y);
    EXPECT_EQ(y, x / 2);
  }
  ASSERT_EQ(adjusted.Tensors().size(), original->Tensors().size());
  for (const TensorInfo& tensor : adjusted.Tensors()) {
    EXPECT_EQ(tensor.dtype, tensor.name == name ? DType::kF32 : DType::kBF16) << tensor.name;
  }
  EXPECT_EQ(adjusted.TextFile("config.json"), original->TextFile("config.json"));
}

}  // namespace
}  // namespace octavo
