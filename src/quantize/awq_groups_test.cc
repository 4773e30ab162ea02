#include "quantize/awq_groups.h"

#include <gtest/gtest.h>

#include "quantize/adjusted_checkpoint.h"
#include "quantize/awq.h"
#include "quantize/test_support.h"

namespace octavo {
namespace {

// Random factors for every group that has sources, put into its linear layers and taken out of the
// sources: the model computes what it did.
TEST(AwqGroups, ScalesAreTakenOutWhereTheyComeFrom) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  const ModelConfig config = LoadModelConfig(*checkpoint);
  Random random(9);
  Adjustments adjustments;
  int num_scaled = 0;
  for (const AwqGroup& group : AwqGroupsOf(config)) {
    const Shape shape = checkpoint->Get(group.linears[0].name).view.shape;
    const auto k = static_cast<size_t>(shape[1]);
    EXPECT_TRUE(group.channels.empty() || group.channels.size() == k) << group.stage;
    if (group.sources.empty()) continue;
    ++num_scaled;
    std::vector<float> of_channel(k);
    for (float& factor : of_channel) factor = std::exp2(static_cast<float>(random.Below(5)) - 2);
    TensorAdjustment columns;
    for (size_t i = 0; i < k; ++i) {
      const size_t channel = group.channels.empty() ? i : static_cast<size_t>(group.channels[i]);
      columns.columns.push_back(of_channel[channel]);
    }
    for (const AwqLinear& linear : group.linears) Merge({{linear.name, columns}}, &adjustments);
    for (const std::string& name : group.sources) {
      TensorAdjustment rows;
      rows.rows.assign(static_cast<size_t>(checkpoint->Get(name).view.shape[0]), 1.0f);
      for (size_t i = 0; i < k; ++i) {
        const size_t channel = group.channels.empty() ? i : static_cast<size_t>(group.channels[i]);
        rows.rows[static_cast<size_t>(group.first_row) + channel] = 1 / of_channel[channel];
      }
      Merge({{name, rows}}, &adjustments);
    }
  }
  EXPECT_EQ(num_scaled, 2 * 3 + 1 + 2 * 4);
  const AdjustedCheckpoint scaled(*checkpoint, adjustments);
  EXPECT_LT(testing::RelativeError(testing::LogitsOf(scaled, Compute::kF32),
                                   testing::LogitsOf(*checkpoint, Compute::kF32)),
            1e-5);
  testing::Rig before(*checkpoint);
  testing::Rig after(scaled);
  const Patches patches = testing::MakePatches(24, 40);
  EXPECT_LT(
      testing::RelativeError(testing::Encode(&after.model, testing::MakePatches(24, 40), 1e12),
                             testing::Encode(&before.model, testing::MakePatches(24, 40), 1e12)),
      1e-5);
}

TEST(AwqGroups, EveryLinearLayerIsInOneGroup) {
  const auto checkpoint = testing::MakeTinyModel();
  std::set<std::string> names;
  for (const AwqGroup& group : AwqGroupsOf(LoadModelConfig(*checkpoint))) {
    for (const AwqLinear& linear : group.linears) {
      EXPECT_TRUE(names.insert(linear.name).second) << linear.name;
    }
  }
  for (const TensorInfo& tensor : checkpoint->Tensors()) {
    const bool is_linear =
        tensor.shape.rank() == 2 && PartOfTensor(tensor.name) != ModelPart::kHead;
    EXPECT_EQ(names.contains(tensor.name), is_linear) << tensor.name;
  }
}

}  // namespace
}  // namespace octavo
