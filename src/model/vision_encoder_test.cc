// Through Model, which gives the encoder its workspace.
#include "model/vision_encoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "model/test_support.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using namespace testing;  // NOLINT: the floor's own test support

constexpr VisionAttention kAttentions[] = {VisionAttention::kF32, VisionAttention::kInt16};

TEST(VisionEncoding, DoesNotDependOnHowItIsAdvancedOrOnThreads) {
  const auto checkpoint = MakeTinyModel();
  for (const VisionAttention attention : kAttentions) {
    std::vector<float> expected;
    for (const int num_threads : {1, 3}) {
      for (const double budget : {1.0, 3e5, 1e7, 1e18}) {
        Rig rig(*checkpoint, Compute::kF32, num_threads, attention);
        const std::vector<float> got = Encode(&rig.model, MakePatches(120, 88), budget);
        if (expected.empty()) expected = got;
        EXPECT_EQ(got, expected) << VisionAttentionName(attention) << ", " << num_threads
                                 << " threads, budget " << budget;
      }
    }
    EXPECT_EQ(expected.size(), static_cast<size_t>(30 * 22 / 4 * 96));
  }
}

// Of the picture of MakePatches(h, w), the patches of some of its cells.
Patches SomePatches(int h, int w, const std::vector<int32_t>& cells) {
  PreprocessorConfig config;
  config.patch_size = 4;
  return CutPatches(Picture(h, w, 1), config, NormalizeRule::kFast, cells);
}

TEST(VisionEncoding, AllCellsByNumberAreTheWholePictureBitForBit) {
  const auto checkpoint = MakeTinyModel();
  for (const VisionAttention attention : kAttentions) {
    Rig rig(*checkpoint, Compute::kF32, 2, attention);
    std::vector<int32_t> cells;
    for (int32_t i = 0; i < 5 * 8; ++i) cells.push_back(i);
    EXPECT_EQ(Encode(&rig.model, SomePatches(40, 64, cells), 1e18),
              Encode(&rig.model, SomePatches(40, 64, {}), 1e18));
  }
}

TEST(VisionEncoding, CellsThatAreLeftOutCostNothingAndOthersKeepTheirPlaces) {
  const auto checkpoint = MakeTinyModel();
  for (const VisionAttention attention : kAttentions) {
    Rig rig(*checkpoint, Compute::kF32, 2, attention);
    const auto flops = [&](const std::vector<int32_t>& cells) {
      return rig.model.StartVisionEncoding(SomePatches(40, 64, cells))->total_flops();
    };
    EXPECT_LT(flops({3, 4, 20}), 0.08 * flops({}));
    const std::vector<float> some = Encode(&rig.model, SomePatches(40, 64, {3, 4, 20}), 1e5);
    EXPECT_EQ(some.size(), size_t{3 * 96});
    EXPECT_EQ(some, Encode(&rig.model, SomePatches(40, 64, {3, 4, 20}), 1e18));
    // The pixels of a cell alone do not say where it stands.
    EXPECT_NE(Encode(&rig.model, SomePatches(40, 64, {20}), 1e18),
              Encode(&rig.model, SomePatches(40, 64, {21}), 1e18));
  }
}

using Stages = std::map<std::string, std::vector<float>>;

Stages ObserveStages(const Checkpoint& checkpoint, VisionAttention attention) {
  Rig rig(checkpoint, Compute::kF32, 2, attention);
  Stages stages;
  const StageObserver observer = [&](std::string_view stage, ConstFloatMatrix rows) {
    std::vector<float>& values = stages[std::string(stage)];
    for (int64_t r = 0; r < rows.rows; ++r) {
      values.insert(values.end(), rows.row(r), rows.row(r) + rows.cols);
    }
  };
  const auto encoding = rig.model.StartVisionEncoding(MakePatches(120, 88), &observer);
  while (!encoding->Advance(1e18)) {
  }
  return stages;
}

TEST(VisionEncoding, Int16AttentionKeepsEveryStageWithinTwoTenThousandths) {
  const auto checkpoint = MakeTinyModel();
  const Stages want = ObserveStages(*checkpoint, VisionAttention::kF32);
  const Stages got = ObserveStages(*checkpoint, VisionAttention::kInt16);
  ASSERT_EQ(got.size(), want.size());
  double largest = 0;
  for (const auto& [stage, values] : want) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double d = double{got.at(stage)[i]} - values[i];
      difference += d * d;
      size += double{values[i]} * values[i];
    }
    const double deviation = std::sqrt(difference / size);
    std::printf("%-24s deviation %.5f %%\n", stage.c_str(), 100 * deviation);
    EXPECT_LT(deviation, 2e-4) << stage;
    largest = std::max(largest, deviation);
  }
  EXPECT_GT(largest, 1e-6) << "the switch changes nothing";
}

// The tower of MinerU2.5 and a page of 1036 x 1036 pixels.
TEST(VisionEncoder, HoldsAPageInLessThan120Megabytes) {
  VisionConfig config;
  config.depth = 32;
  config.embed_dim = 1280;
  config.num_heads = 16;
  config.mlp_dim = 5120;
  config.hidden_size = 896;
  config.patch_size = 14;
  config.temporal_patch_size = 2;
  config.spatial_merge_size = 2;
  for (const VisionAttention attention : kAttentions) {
    const size_t bytes = VisionEncoder::ActivationBytes(config, attention, 74 * 74);
    EXPECT_LT(bytes, size_t{120'000'000}) << VisionAttentionName(attention);
    EXPECT_GT(bytes, size_t{100'000'000}) << VisionAttentionName(attention);
  }
}

TEST(VisionEncoding, TakesManyBoundedSteps) {
  Rig rig(*MakeTinyModel());
  const auto encoding = rig.model.StartVisionEncoding(MakePatches(160, 160));
  int num_steps = 1;
  while (!encoding->Advance(1.0)) ++num_steps;
  // 1600 patches: at least 100 steps of 16 rows in each stage of rows, attention tasks between.
  EXPECT_GT(num_steps, 600);
}

TEST(VisionEncoding, SeveralMayBeUnderWayAndBeDropped) {
  Rig rig(*MakeTinyModel());
  const std::vector<float> expected_a = Encode(&rig.model, MakePatches(40, 80), 1e18);
  const std::vector<float> expected_b = Encode(&rig.model, MakePatches(64, 32), 1e18);
  auto a = rig.model.StartVisionEncoding(MakePatches(40, 80));
  auto b = rig.model.StartVisionEncoding(MakePatches(64, 32));
  auto dropped = rig.model.StartVisionEncoding(MakePatches(96, 96));
  bool a_done = false;
  bool b_done = false;
  for (int i = 0; !a_done || !b_done; ++i) {
    if (!a_done) a_done = a->Advance(2e5);
    if (!b_done) b_done = b->Advance(1e5);
    if (i < 5 && dropped != nullptr) dropped->Advance(1e5);
    if (i == 5) dropped.reset();
  }
  const ImageEmbeddings got_a = a->TakeEmbeddings();
  const ImageEmbeddings got_b = b->TakeEmbeddings();
  EXPECT_EQ(got_a.num_tokens, 5 * 10);
  EXPECT_EQ(0, std::memcmp(got_a.values.data(), expected_a.data(), got_a.values.size_bytes()));
  EXPECT_EQ(0, std::memcmp(got_b.values.data(), expected_b.data(), got_b.values.size_bytes()));
}

TEST(VisionEncoding, RefusesPatchesOfAnotherModel) {
  Rig rig(*MakeTinyModel());
  PreprocessorConfig config;
  config.patch_size = 8;
  EXPECT_THROW(rig.model.StartVisionEncoding(Preprocess(Picture(64, 64, 0), config)), Error);
  Patches odd = MakePatches(64, 64);
  odd.grid_h = 1;
  odd.grid_w = 256;
  EXPECT_THROW(rig.model.StartVisionEncoding(std::move(odd)), Error);
}

}  // namespace
}  // namespace octavo
