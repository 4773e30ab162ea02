#include "quantize/round_to_nearest.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr GroupLayout W4(int size, DType scale = DType::kF16) {
  return {.bits = 4, .group_size = size, .scale_dtype = scale};
}
constexpr GroupLayout W8(int size) {
  return {.bits = 8, .group_size = size, .scale_dtype = DType::kF16, .is_7bit = true};
}

std::vector<float> Weights(int64_t count, uint64_t seed, float size = 0.1f) {
  Random random(seed);
  std::vector<float> weights(static_cast<size_t>(count));
  for (float& w : weights) w = random.Uniform(-size, size);
  return weights;
}

struct Rounded {
  std::vector<std::byte> bytes;
  RoundingError error;
  std::vector<float> Row(const PackedLayout& layout, int64_t row) const {
    std::vector<float> values(static_cast<size_t>(layout.k));
    UnpackPackedRow(layout, bytes.data(), row, values.data());
    return values;
  }
};

Rounded Round(const PackedLayout& layout, const std::vector<float>& weights, int num_threads = 2) {
  ThreadPool pool(num_threads);
  Rounded rounded;
  rounded.bytes.resize(PackedBytes(layout), std::byte{0xEE});
  const TensorView view = {reinterpret_cast<const std::byte*>(weights.data()), DType::kF32,
                           Shape{layout.n, layout.k}};
  rounded.error = RoundToNearest(layout, view, &pool, rounded.bytes.data());
  return rounded;
}

TEST(RoundToNearest, EveryWeightIsWithinHalfAStep) {
  for (const GroupLayout& group :
       {W4(32), W4(64), W4(128), W4(32, DType::kBF16), W8(32), W8(128)}) {
    const auto layout = PackedLayout::Quantized(group, 37, 256);
    const std::vector<float> weights = Weights(37 * 256, 5);
    const Rounded rounded = Round(layout, weights);
    EXPECT_TRUE(GroupValuesInRange(group, 37, 256, rounded.bytes.data()));
    double squares = 0;
    double weight_squares = 0;
    double max_abs = 0;
    for (int64_t n = 0; n < 37; ++n) {
      const std::vector<float> row = rounded.Row(layout, n);
      for (int64_t k = 0; k < 256; ++k) {
        const double w = static_cast<double>(weights[static_cast<size_t>(n * 256 + k)]);
        const double error = static_cast<double>(row[static_cast<size_t>(k)]) - w;
        // The range is at most 0.2; half a step, and what rounding the scale (2^-11, bf16 2^-9)
        // takes off the ends.
        const double bound = group.bits == 4 ? 0.5 * 0.2 / 15 * 1.07 : 0.5 * 0.1 / 63 * 1.07;
        ASSERT_LE(std::abs(error), bound) << n << " " << k;
        squares += error * error;
        weight_squares += w * w;
        max_abs = std::max(max_abs, std::abs(error));
      }
    }
    EXPECT_NEAR(rounded.error.squares, squares, 1e-9 * squares);
    EXPECT_NEAR(rounded.error.Relative(), std::sqrt(squares / weight_squares), 1e-9);
    EXPECT_EQ(rounded.error.max_abs, max_abs);
  }
}

// By hand: -1 .. 2 in steps of 0.2; zero 5.
TEST(RoundToNearest, FourBitsFollowTheFormula) {
  const auto layout = PackedLayout::Quantized(W4(32), 1, 32);
  std::vector<float> weights(32, 0.0f);
  weights[0] = -1.0f;
  weights[1] = 2.0f;
  weights[2] = 0.31f;
  weights[3] = -0.29f;
  const Rounded rounded = Round(layout, weights);
  const std::byte* block = rounded.bytes.data();
  const float scale = ToFloat(ToFloat16(0.2f));
  EXPECT_EQ(GroupScale(layout.group, block, 0), scale);
  EXPECT_EQ(GroupZero(layout.group, block, 0), 5);
  EXPECT_EQ(GroupQ(layout.group, block, 0, 0), 0);
  EXPECT_EQ(GroupQ(layout.group, block, 0, 1), 15);
  EXPECT_EQ(GroupQ(layout.group, block, 0, 2), 7);
  EXPECT_EQ(GroupQ(layout.group, block, 0, 3), 4);
  EXPECT_EQ(GroupQ(layout.group, block, 0, 4), 5);
  EXPECT_EQ(GroupWeight(layout.group, block, 0, 4), 0.0f) << "zero stays zero";
}

TEST(RoundToNearest, EightBitsAreSymmetricWithin63) {
  const auto layout = PackedLayout::Quantized(W8(32), 1, 32);
  std::vector<float> weights(32, 0.0f);
  weights[0] = -63.0f;
  weights[1] = 62.5f;  // a tie: to the even 62
  weights[2] = 61.5f;  // and 62
  weights[3] = -0.5f;
  const Rounded rounded = Round(layout, weights);
  const std::vector<float> row = rounded.Row(layout, 0);
  EXPECT_EQ(row[0], -63.0f);
  EXPECT_EQ(row[1], 62.0f);
  EXPECT_EQ(row[2], 62.0f);
  EXPECT_EQ(row[3], 0.0f);
}

TEST(RoundToNearest, GroupsOfOneSignAndOfZerosAreExactAtTheirEnds) {
  const auto layout = PackedLayout::Quantized(W4(32), 3, 32);
  std::vector<float> weights(3 * 32, 0.0f);
  for (size_t i = 0; i < 32; ++i) {
    weights[i] = 30.0f;
    weights[32 + i] = -15.0f;
  }
  const Rounded rounded = Round(layout, weights);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(rounded.Row(layout, 0)[i], 30.0f);
    EXPECT_EQ(rounded.Row(layout, 1)[i], -15.0f);
    EXPECT_EQ(rounded.Row(layout, 2)[i], 0.0f);
  }
  EXPECT_EQ(rounded.error.squares, 0.0);
  EXPECT_EQ(RoundingError{}.Relative(), 0.0);
}

// Scales in the subnormal range of f16 lose precision; numbers must still be the nearest.
TEST(RoundToNearest, TinyWeightsStayWithinTheirOwnSize) {
  for (const GroupLayout& group : {W4(32), W8(32)}) {
    for (const float size : {1e-3f, 1e-5f, 1e-7f, 1e-9f, 1e-38f}) {
      const auto layout = PackedLayout::Quantized(group, 4, 32);
      const std::vector<float> weights = Weights(4 * 32, 9, size);
      const Rounded rounded = Round(layout, weights);
      EXPECT_LE(rounded.error.max_abs, static_cast<double>(size)) << size;
      EXPECT_TRUE(GroupValuesInRange(group, 4, 32, rounded.bytes.data()));
    }
  }
}

TEST(RoundToNearest, WhatCannotBeRoundedIsTold) {
  const auto layout = PackedLayout::Quantized(W4(32), 20, 32);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> weights = Weights(20 * 32, 1);
    weights[17 * 32 + 3] = bad;
    EXPECT_FALSE(Round(layout, weights).error.is_finite);
  }
  std::vector<float> weights = Weights(20 * 32, 1);
  weights[5] = 1e30f;
  EXPECT_FALSE(Round(layout, weights).error.is_in_range);
  EXPECT_TRUE(Round(layout, weights).error.is_finite);
  const auto wide = PackedLayout::Quantized(W4(32, DType::kBF16), 20, 32);
  EXPECT_TRUE(Round(wide, weights).error.is_in_range);
}

TEST(RoundToNearest, ThreadsDoNotChangeABit) {
  const auto layout = PackedLayout::Quantized(W4(64), 200, 192);
  const std::vector<float> weights = Weights(200 * 192, 3);
  const Rounded one = Round(layout, weights, 1);
  for (const int threads : {2, 4}) {
    const Rounded more = Round(layout, weights, threads);
    EXPECT_EQ(more.bytes, one.bytes);
    EXPECT_EQ(more.error.squares, one.error.squares);
  }
}

}  // namespace
}  // namespace octavo
