#include "cli/savings_flags.h"

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

TEST(SavingsFlags, WithoutAnyTheQualityOfTheCallerDecides) {
  EXPECT_EQ(ResolveSavings({}, Quality::kBest), Savings());
  EXPECT_EQ(ResolveSavings({}, Quality::kFast), SavingsOf(Quality::kFast));
}

TEST(SavingsFlags, TheWordWinsOverTheCallerAndSwitchesOverTheWord) {
  EXPECT_EQ(ResolveSavings({.quality = "best"}, Quality::kFast), Savings());
  const Savings savings = ResolveSavings(
      {.quality = "fast", .prune_blank = false, .layout_side = 1036}, Quality::kBest);
  EXPECT_FALSE(savings.prune_blank);
  EXPECT_EQ(savings.layout_side, 1036);
  EXPECT_EQ(savings.line_height_px, SavingsOf(Quality::kFast).line_height_px);
  EXPECT_EQ(ResolveSavings({.line_height_px = 0}, Quality::kFast).line_height_px, 0);
}

// Once, before anything is read, and not once for every document.
TEST(SavingsFlags, SizesThatCannotBeAreRefused) {
  EXPECT_EQ(testing::ErrorCodeOf([] { ResolveSavings({.line_height_px = 5}, Quality::kBest); },
                                 "line_height_px is 5, expected 0 or 12 to 200"),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(testing::ErrorCodeOf([] { ResolveSavings({.layout_side = 100}, Quality::kBest); }),
            ErrorCode::kInvalidArgument);
}

TEST(SavingsFlags, AreDescribedAsTheyAreWritten) {
  EXPECT_EQ(DescribeSavings({}), "nothing");
  EXPECT_EQ(DescribeSavings({.prune_blank = true, .layout_side = 728, .line_height_px = 28}),
            "prune-blank, layout-side 728, line-height 28");
}

}  // namespace
}  // namespace octavo
