#include "quantize/group_rounding.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

std::vector<float> SomeWeights(uint64_t seed, float size) {
  Random random(seed);
  std::vector<float> w(64);
  for (float& x : w) x = size * (static_cast<float>(random.Below(20001)) / 10000.0f - 1.0f);
  return w;
}

// As the header says it, with the library's rounding.
int NearestNumber(const GroupRange& range, float w) {
  const double steps = std::nearbyint(static_cast<double>(w / range.scale));
  return static_cast<int>(std::clamp(steps + range.zero, static_cast<double>(range.least),
                                     static_cast<double>(range.most)));
}

TEST(GroupRounding, EachWeightGetsTheNearestNumber) {
  for (const int bits : {4, 8}) {
    for (uint64_t seed = 1; seed < 200; ++seed) {
      const GroupLayout layout = {.bits = bits, .group_size = 64, .is_7bit = bits == 8};
      const std::vector<float> w = SomeWeights(seed, seed % 3 == 0 ? 1e-3f : 2.0f);
      const GroupRange range = FindGroupRange(layout, w.data(), 64);
      ASSERT_GT(range.scale, 0.0f);
      std::vector<uint8_t> q(64);
      std::vector<float> rounded(64);
      RoundGroup(range, w.data(), 64, q.data());
      RoundGroupToFloats(range, w.data(), 64, rounded.data());
      for (size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(q[i], NearestNumber(range, w[i]));
        EXPECT_EQ(rounded[i], static_cast<float>(q[i] - range.zero) * range.scale);
      }
    }
  }
}

TEST(GroupRounding, TiesGoToTheEvenNumber) {
  const GroupRange range = {.scale = 1, .zero = 8, .least = 0, .most = 15};
  const float w[4] = {0.5f, 1.5f, -0.5f, 2.5f};
  float rounded[4];
  RoundGroupToFloats(range, w, 4, rounded);
  EXPECT_EQ(rounded[0], 0.0f);
  EXPECT_EQ(rounded[1], 2.0f);
  EXPECT_EQ(rounded[2], 0.0f);
  EXPECT_EQ(rounded[3], 2.0f);
}

TEST(GroupRounding, AGroupOfZerosStaysZeros) {
  const GroupLayout layout = {.bits = 4, .group_size = 32};
  std::vector<float> w(32, 0.0f);
  const GroupRange range = FindGroupRange(layout, w.data(), 32);
  std::vector<uint8_t> q(32, 9);
  RoundGroup(range, w.data(), 32, q.data());
  RoundGroupToFloats(range, w.data(), 32, w.data());
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(q[i], range.zero);
    EXPECT_EQ(w[i], 0.0f);
  }
}

TEST(GroupRounding, ScalesBeyondTheirTypeShow) {
  const GroupLayout layout = {.bits = 4, .group_size = 32};
  std::vector<float> w(32, 0.0f);
  w[5] = 1e20f;
  EXPECT_FALSE(std::isfinite(FindGroupRange(layout, w.data(), 32).scale));
}

}  // namespace
}  // namespace octavo
