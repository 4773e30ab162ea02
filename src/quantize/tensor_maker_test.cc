#include "quantize/tensor_maker.h"

#include <cstring>

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"
#include "model/config.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

struct Planned {
  PlannedTensor tensor;
  TensorInfo source;
};

Planned PlanOf(const Checkpoint& checkpoint, const ExportOptions& options, std::string_view name) {
  Planned found;
  for (const PlannedTensor& planned :
       PlanExport(LoadModelConfig(checkpoint), checkpoint.Tensors(), options)) {
    if (planned.tensor.name == name) found.tensor = planned;
  }
  for (const TensorInfo& info : checkpoint.Tensors()) {
    if (info.name == name) found.source = info;
  }
  return found;
}

TEST(TensorMaker, RoundsMatricesAndSaysHowFarOffTheyAre) {
  const auto checkpoint = testing::MakeTinyModel();
  const Planned planned =
      PlanOf(*checkpoint, {.language = MatrixForm::kW4}, "model.layers.0.mlp.gate_proj.weight");
  ThreadPool pool(2);
  const MadeTensor made = TensorMaker(*checkpoint, &pool).Make(planned.tensor, planned.source);
  const PackedLayout& layout = planned.tensor.tensor.layout;
  ASSERT_EQ(layout.format, WeightFormat::kW4);
  EXPECT_EQ(made.bytes.size(), PackedBytes(layout));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(made.bytes.data()) % kBufferAlignment, 0u);
  ASSERT_TRUE(made.rounding.has_value());
  EXPECT_GT(made.rounding->Relative(), 0.01);
  EXPECT_LT(made.rounding->Relative(), 0.1);
}

TEST(TensorMaker, GivesVectorsAsTheirNumbers) {
  testing::TinyModelSpec spec;
  spec.dtype = DType::kBF16;
  const auto checkpoint = testing::MakeTinyModel(spec);
  const Planned planned = PlanOf(*checkpoint, {}, "model.norm.weight");
  ThreadPool pool(1);
  const MadeTensor made = TensorMaker(*checkpoint, &pool).Make(planned.tensor, planned.source);
  const LoadedTensor tensor = checkpoint->Get("model.norm.weight");
  std::vector<float> expected(static_cast<size_t>(tensor.view.shape.num_elements()));
  ToFloats(tensor.view, 0, tensor.view.shape.num_elements(), expected.data());
  ASSERT_EQ(made.bytes.size(), expected.size() * sizeof(float));
  EXPECT_EQ(std::memcmp(made.bytes.data(), expected.data(), made.bytes.size()), 0);
  EXPECT_FALSE(made.rounding.has_value());
}

}  // namespace
}  // namespace octavo
