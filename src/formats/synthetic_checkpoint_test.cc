#include "formats/synthetic_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::vector<float> Values(const Checkpoint& checkpoint, const char* name) {
  const LoadedTensor tensor = checkpoint.Get(name);
  std::vector<float> values(static_cast<size_t>(tensor.view.shape.num_elements()));
  ToFloats(tensor.view, 0, tensor.view.shape.num_elements(), values.data());
  return values;
}

std::vector<TensorInfo> Infos() {
  return {{"model.a.weight", DType::kF32, Shape{300, 64}},
          {"model.b.weight", DType::kBF16, Shape{40, 3, 2, 7, 7}},
          {"model.layers.0.input_layernorm.weight", DType::kBF16, Shape{500}},
          {"visual.merger.ln_q.weight", DType::kF16, Shape{500}},
          {"visual.blocks.0.norm1.bias", DType::kF32, Shape{500}},
          {"model.empty.weight", DType::kF32, Shape{0, 4}}};
}

TEST(SyntheticCheckpoint, SameSeedGivesTheSameBytesWhateverTheOrder) {
  auto reversed = Infos();
  std::reverse(reversed.begin(), reversed.end());
  const auto a = MakeSyntheticCheckpoint(Infos(), {}, 7);
  const auto b = MakeSyntheticCheckpoint(reversed, {}, 7);
  const auto c = MakeSyntheticCheckpoint(Infos(), {}, 8);
  EXPECT_EQ(Values(*a, "model.a.weight"), Values(*b, "model.a.weight"));
  EXPECT_NE(Values(*a, "model.a.weight"), Values(*c, "model.a.weight"));
}

TEST(SyntheticCheckpoint, TensorsOfDifferentNamesDiffer) {
  const auto checkpoint = MakeSyntheticCheckpoint(
      {{"x", DType::kF32, Shape{8, 8}}, {"y", DType::kF32, Shape{8, 8}}}, {}, 7);
  EXPECT_NE(Values(*checkpoint, "x"), Values(*checkpoint, "y"));
}

TEST(SyntheticCheckpoint, MatricesHaveTheVarianceOfTheirRowLength) {
  const auto checkpoint = MakeSyntheticCheckpoint(Infos(), {}, 1);
  const struct {
    const char* name;
    double row_elements;
  } cases[] = {{"model.a.weight", 64}, {"model.b.weight", 3 * 2 * 7 * 7}};
  for (const auto& c : cases) {
    double sum = 0;
    double squares = 0;
    const auto values = Values(*checkpoint, c.name);
    for (const float x : values) {
      sum += x;
      squares += static_cast<double>(x) * x;
    }
    const auto count = static_cast<double>(values.size());
    EXPECT_NEAR(squares / count * c.row_elements, 1.0, 0.05) << c.name;
    EXPECT_LT(std::abs(sum / count) * std::sqrt(c.row_elements), 0.05) << c.name;
  }
}

TEST(SyntheticCheckpoint, NormWeightsAreNearOneAndBiasesSmall) {
  const auto checkpoint = MakeSyntheticCheckpoint(Infos(), {}, 1);
  for (const char* name : {"model.layers.0.input_layernorm.weight", "visual.merger.ln_q.weight"}) {
    const auto values = Values(*checkpoint, name);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*low, 0.795f) << name;
    EXPECT_LE(*high, 1.205f) << name;
    EXPECT_GT(*high - *low, 0.35f) << name;
  }
  for (const float x : Values(*checkpoint, "visual.blocks.0.norm1.bias")) {
    EXPECT_LE(std::abs(x), 0.1f);
  }
}

TEST(SyntheticCheckpoint, TensorsAndTextFilesAreFoundByName) {
  const auto checkpoint = MakeSyntheticCheckpoint(Infos(), {{"config.json", "{}"}}, 1);
  EXPECT_EQ(checkpoint->Tensors().size(), 6u);
  EXPECT_FALSE(checkpoint->Find("nothing"));
  EXPECT_EQ(checkpoint->GetTextFile("config.json"), "{}");
  EXPECT_FALSE(checkpoint->TextFile("vocab.json"));
  EXPECT_EQ(checkpoint->Get("model.empty.weight").view.size_bytes(), 0u);
}

TEST(SyntheticCheckpointDeathTest, IntegersAndDoubleNamesStop) {
  EXPECT_DEATH(MakeSyntheticCheckpoint({{"x", DType::kI32, Shape{1}}}, {}, 1), "I32");
  EXPECT_DEATH(
      MakeSyntheticCheckpoint({{"x", DType::kF32, Shape{1}}, {"x", DType::kF32, Shape{1}}}, {}, 1),
      "twice");
}

}  // namespace
}  // namespace octavo
