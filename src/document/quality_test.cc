#include "document/quality.h"

#include <gtest/gtest.h>

#include "testing/error_code.h"

namespace octavo {
namespace {

using testing::ErrorCodeOf;

TEST(Quality, HasThreeWords) {
  for (const Quality quality : {Quality::kBest, Quality::kBalanced, Quality::kFast}) {
    EXPECT_EQ(ParseQuality(QualityName(quality)), quality);
    EXPECT_NO_THROW(CheckSavings(SavingsOf(quality)));
  }
  for (const char* wrong : {"", "Fast", "fastest", "best "}) {
    EXPECT_FALSE(ParseQuality(wrong).has_value()) << wrong;
  }
}

TEST(Quality, BestSavesNothingAndEachOtherSavesMore) {
  EXPECT_EQ(SavingsOf(Quality::kBest), Savings());
  const Savings balanced = SavingsOf(Quality::kBalanced);
  const Savings fast = SavingsOf(Quality::kFast);
  EXPECT_TRUE(balanced.prune_blank);
  EXPECT_EQ(balanced.layout_side, 1036);
  EXPECT_EQ(balanced.line_height_px, 0);
  EXPECT_TRUE(fast.prune_blank);
  EXPECT_LT(fast.layout_side, 1036);
  EXPECT_GT(fast.line_height_px, 0);
}

TEST(Quality, RefusesSizesOutOfRange) {
  for (const Savings& wrong : {Savings{.layout_side = 279}, Savings{.layout_side = 1037},
                               Savings{.layout_side = -1}, Savings{.line_height_px = 11},
                               Savings{.line_height_px = 201}, Savings{.line_height_px = -28}}) {
    EXPECT_EQ(ErrorCodeOf([&] { CheckSavings(wrong); }), ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace octavo
