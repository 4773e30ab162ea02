#include "model/arithmetic.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Arithmetic, GivesEveryProductItsPrecisionAndTheSameCounts) {
  ops::MatmulCounts counts;
  const Arithmetic arithmetic = {ops::MatmulPrecision::kInt8, &counts};
  const float bias[1] = {2};
  const ops::MatmulOptions plain = arithmetic.Options(bias);
  EXPECT_EQ(plain.bias, bias);
  EXPECT_FALSE(plain.accumulate);
  EXPECT_EQ(plain.precision, ops::MatmulPrecision::kInt8);
  EXPECT_EQ(plain.counts, &counts);
  const ops::MatmulOptions residual = arithmetic.Options(nullptr, /*accumulate=*/true);
  EXPECT_TRUE(residual.accumulate);
  EXPECT_EQ(residual.counts, &counts);
}

}  // namespace
}  // namespace octavo
