#include "base/random.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// First outputs of SplitMix64 for seed 1234567, as published with the reference code by
// S. Vigna (prng.di.unimi.it/splitmix64.c).
TEST(Random, MatchesPublishedSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317u);
  EXPECT_EQ(random.Next(), 3203168211198807973u);
  EXPECT_EQ(random.Next(), 9817491932198370423u);
}

TEST(Random, UniformStaysInsideAndFillsTheRange) {
  Random random(1);
  double sum = 0;
  float lowest = 1;
  float highest = -1;
  for (int i = 0; i < 100000; ++i) {
    const double x = random.Uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    const float y = random.Uniform(-0.5f, 0.5f);
    lowest = std::min(lowest, y);
    highest = std::max(highest, y);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.01);
  EXPECT_GE(lowest, -0.5f);
  EXPECT_LT(highest, 0.5f);
  EXPECT_LT(lowest, -0.49f);
  EXPECT_GT(highest, 0.49f);
}

TEST(Random, BelowReachesEveryValue) {
  Random random(2);
  bool seen[7] = {};
  for (int i = 0; i < 1000; ++i) seen[random.Below(7)] = true;
  for (const bool s : seen) EXPECT_TRUE(s);
}

}  // namespace
}  // namespace octavo
