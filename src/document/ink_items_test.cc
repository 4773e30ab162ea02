#include "document/ink_items.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

InkItem At(int x0, int x1, int height = 10) { return {{x0, 5, x1, 5 + height}, false, 0, 1}; }

TEST(InkItems, FindsBlankStretchesBetweenOverlappingItems) {
  const InkItems items = {At(50, 60), At(0, 20), At(10, 30), At(63, 70)};
  const auto blank = BlankStretches(items, 5, false);
  ASSERT_EQ(blank.size(), 1u);
  EXPECT_EQ(blank[0].x0, 30);
  EXPECT_EQ(blank[0].x1, 50);
  EXPECT_EQ(BlankStretches(items, 3, false).size(), 2u);
}

TEST(InkItems, CountsMarginsAsEndless) {
  const auto blank = BlankStretches({At(50, 60)}, 1000, true);
  ASSERT_EQ(blank.size(), 2u);
  EXPECT_EQ(blank[0].x1, 50);
  EXPECT_EQ(blank[1].x0, 60);
  EXPECT_GT(blank[1].width(), 1'000'000);
}

TEST(InkItems, MeasuresBoxAndMedian) {
  const InkItems items = {At(5, 9, 10), At(20, 30, 30), At(0, 2, 12)};
  EXPECT_EQ(BoxOf(items), (PixelBox{0, 5, 30, 35}));
  EXPECT_EQ(MedianHeight(items), 12);
  EXPECT_EQ(Median({}), 0);
  EXPECT_EQ(Median({3, 1}), 3);
}

}  // namespace
}  // namespace octavo
