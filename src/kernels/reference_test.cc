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

}  // namespace
}  // namespace octavo
