#include "quantize/searched_linear.h"

#include <limits>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "quantize/test_support.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

constexpr char kName[] = "model.layers.0.mlp.up_proj.weight";

TEST(SearchedLinear, HasTheCheckpointsNumbers) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  ThreadPool pool(2);
  const auto plan = PlanExport(LoadModelConfig(*checkpoint), checkpoint->Tensors(),
                               {.language = MatrixForm::kW4});
  const PackedLayout& layout = PlanOf(plan, kName).tensor.layout;
  const SearchedLinear linear = LoadSearchedLinear(*checkpoint, layout, kName, &pool);
  const LoadedTensor tensor = checkpoint->Get(kName);
  std::vector<float> expected(static_cast<size_t>(tensor.view.shape.num_elements()));
  ToFloats(tensor.view, 0, static_cast<int64_t>(expected.size()), expected.data());
  const AlignedBuffer<float> copy = Copy(linear.weights);
  EXPECT_EQ(std::vector<float>(copy.span().begin(), copy.span().end()), expected);
  EXPECT_TRUE(linear.layout.is_quantized());
}

TEST(SearchedLinear, NumbersThatAreNotFiniteAndUnseenStagesAreNamed) {
  testing::EditedCheckpoint damaged(testing::MakeTinyModel(testing::GroupedModelSpec()));
  damaged.EditTensor(kName, [](std::vector<float>* values) {
    values->front() = -std::numeric_limits<float>::infinity();
  });
  ThreadPool pool(1);
  const PackedLayout layout = PackedLayout::Quantized({.bits = 4, .group_size = 128}, 256, 128);
  EXPECT_EQ(testing::ErrorCodeOf([&] { LoadSearchedLinear(damaged, layout, kName, &pool); },
                                 StrCat("synthetic: ", kName, " contains a NaN")),
            ErrorCode::kDataLoss);
  const InputCollector collector({"seen"}, 4);
  EXPECT_EQ(
      testing::ErrorCodeOf([&] { InputsOf(collector, "seen"); }, "calibration saw nothing of seen"),
      ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
