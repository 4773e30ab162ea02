#include "ops/row_grain.h"

#include <gtest/gtest.h>

namespace octavo::ops {
namespace {

TEST(RowGrain, IsAtLeastOneRow) {
  EXPECT_EQ(RowGrain(0), 16384);
  EXPECT_EQ(RowGrain(1280), 12);
  EXPECT_EQ(RowGrain(1 << 20), 1);
}

}  // namespace
}  // namespace octavo::ops
