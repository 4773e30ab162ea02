#include "document/line_scale.h"

#include <gtest/gtest.h>

#include "testing/printed_page.h"

namespace octavo {
namespace {

constexpr std::array<double, 4> kUpper = {0, 0, 1, 0.5};
constexpr std::array<double, 4> kLower = {0, 0.5, 1, 1};

double Scale(const Image& page, const std::array<double, 4>& bbox, int angle, int line_height) {
  const InkMap map = FindInk(page);
  return ScaleForLineHeight(map, SortComponents(map), bbox, angle, line_height);
}

TEST(LineScale, FollowsThePrintOfTheBox) {
  PrintedPage print(1200, 1000);
  for (int y = 100; y < 480; y += 60) print.Line(100, 1100, y, 24);  // capitals of 36 pixels
  for (int y = 560; y < 980; y += 30) print.Line(100, 1100, y, 12);  // of 18: lines of 24
  EXPECT_NEAR(Scale(print.image(), kUpper, 0, 28), 28 / 48.0, 0.06);
  EXPECT_NEAR(Scale(print.image(), kUpper, 180, 14), 14 / 48.0, 0.03);
  EXPECT_EQ(Scale(print.image(), kLower, 0, 28), 1.0);
  EXPECT_NEAR(Scale(print.image(), kLower, 0, 14), 14 / 24.0, 0.06);
}

TEST(LineScale, OfATurnedBlockCountsTheOtherSide) {
  PrintedPage print(1200, 1000);
  for (int y = 100; y < 950; y += 60) print.Line(100, 1100, y, 24);
  const Image turned = RotateCounterClockwise(print.image(), 90);
  const double upright = Scale(print.image(), {0, 0, 1, 1}, 0, 28);
  for (const int angle : {90, 270}) {
    EXPECT_DOUBLE_EQ(Scale(turned, {0, 0, 1, 1}, angle, 28), upright);
  }
}

TEST(LineScale, WithFewLettersNothingIsReduced) {
  PrintedPage print(600, 400);
  print.Line(100, 160, 200, 40);
  EXPECT_EQ(Scale(print.image(), {0, 0, 1, 1}, 0, 14), 1.0);
  EXPECT_EQ(Scale(Image(600, 400), {0, 0, 1, 1}, 0, 14), 1.0);
}

}  // namespace
}  // namespace octavo
