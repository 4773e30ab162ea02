// Through Model, which gives the encoder its workspace.
#include "model/vision_encoder.h"

#include <gtest/gtest.h>

#include <cstring>

#include "model/test_support.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using namespace testing;  // NOLINT: the floor's own test support

TEST(VisionEncoding, DoesNotDependOnHowItIsAdvancedOrOnThreads) {
  const auto checkpoint = MakeTinyModel();
  std::vector<float> expected;
  for (const int num_threads : {1, 3}) {
    for (const double budget : {1.0, 3e5, 1e7, 1e18}) {
      Rig rig(*checkpoint, Compute::kF32, num_threads);
      const std::vector<float> got = Encode(&rig.model, MakePatches(120, 88), budget);
      if (expected.empty()) expected = got;
      EXPECT_EQ(got, expected) << num_threads << " threads, budget " << budget;
    }
  }
  EXPECT_EQ(expected.size(), static_cast<size_t>(30 * 22 / 4 * 96));
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
