#include "kernels/reference.h"

#include <gtest/gtest.h>

#include <cmath>

namespace octavo {
namespace {

TEST(Reference, DotWalksStrides) {
  const float x[] = {1, 9, -2, 9, 3}, w[] = {4, 5, 6};
  const Reference dot = ReferenceDot(x, 2, w, 1, 3);
  EXPECT_EQ(dot.value, 4 - 10 + 18);
  EXPECT_EQ(dot.magnitude, 4 + 10 + 18);
}

TEST(Reference, NormsHaveUnitSpread) {
  const std::vector<float> x = {1, 3}, ones = {1, 1}, bias = {10, 20};
  const std::vector<Reference> layer = ReferenceLayerNorm(x, ones, bias, 0);
  EXPECT_DOUBLE_EQ(layer[0].value, 9);
  EXPECT_DOUBLE_EQ(layer[1].value, 21);
  const std::vector<Reference> rms = ReferenceRmsNorm(x, ones, 0);
  EXPECT_DOUBLE_EQ(rms[1].value, 3 / std::sqrt(5.0));
}

TEST(Reference, ActivationsAtKnownPoints) {
  EXPECT_DOUBLE_EQ(ReferenceSilu(0), 0);
  EXPECT_NEAR(ReferenceSilu(1), 0.7310585786, 1e-10);
  EXPECT_NEAR(ReferenceGelu(1), 0.8413447461, 1e-10);
  EXPECT_NEAR(ReferenceQuickGelu(1), 0.8457957659, 1e-9);
}

TEST(Reference, SoftmaxCarriesItsStateFromBlockToBlock) {
  ReferenceSoftmax softmax{-INFINITY, 0};
  softmax.Add({1, 2});
  EXPECT_DOUBLE_EQ(softmax.sum, 1.5);
  const std::vector<double> powers = softmax.Add({4});
  EXPECT_DOUBLE_EQ(powers[0], 1);
  EXPECT_DOUBLE_EQ(softmax.correction, 0.25);
  EXPECT_DOUBLE_EQ(softmax.sum, 1.375);
}

TEST(Reference, QuantisesAGroupByHand) {
  std::vector<float> x(32);
  x[0] = -254;  // scale 2
  x[1] = 5;     // 2.5 rounds to 2
  x[2] = 7;     // 3.5 rounds to 4
  x[31] = 100;
  const ReferenceActivations a = ReferenceQuantize(x, 32);
  const ActivationGroup& group = a.groups[0];
  EXPECT_EQ(a.q[0], -127);
  EXPECT_EQ(a.q[1], 2);
  EXPECT_EQ(a.q[2], 4);
  EXPECT_EQ(a.q[31], 50);
  EXPECT_EQ(group.scale, 2);
  EXPECT_EQ(group.sum, -127 + 2 + 4 + 50);
  EXPECT_EQ(group.lane_sums[0], -125);
  EXPECT_EQ(group.part_lane_sums[0][1], 54);
  EXPECT_EQ(group.lane_magnitude, 129);
  EXPECT_EQ(group.part_lane_norms[0][0], 128);  // of 127 and 2
  EXPECT_EQ(group.part_lane_norms[1][0], 51);   // of 4 and 50
}

TEST(Reference, MultipliesAGroupByHand) {
  const GroupLayout layout{4, 32, DType::kF16, false};
  std::vector<uint8_t> q(32, 8), zero = {8};
  q[0] = 15;
  q[5] = 0;
  const std::vector<uint16_t> half = {0x3800};
  std::vector<std::byte> block(static_cast<size_t>(GroupBlockBytes(layout)));
  WriteGroupBlock(layout, {q.data(), 32, half.data(), zero.data(), 1}, block.data());
  std::vector<float> x(32, 0.0f);
  x[0] = 127;
  x[5] = 3;
  EXPECT_EQ(ReferencePackedProduct(ReferenceQuantize(x, 32), layout, block.data(), 32, 0, 10.0f),
            10 + 0.5f * (7 * 127 - 8 * 3));
}

}  // namespace
}  // namespace octavo
