#include "ops/even_parts.h"

#include <gtest/gtest.h>

namespace octavo::ops {
namespace {

TEST(EvenParts, AreWholeUnitsOfAboutTheSameSize) {
  EXPECT_EQ(EvenPart(5, 192, 6), 6);
  EXPECT_EQ(EvenPart(192, 192, 6), 192);
  EXPECT_EQ(EvenPart(193, 192, 6), 102);
  EXPECT_EQ(EvenPart(1369, 192, 6), 174);
  EXPECT_EQ(NumParts(1369, 174), 8);
  EXPECT_EQ(NumParts(12, 6), 2);
}

}  // namespace
}  // namespace octavo::ops
