#include "document/line_chains.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

InkItem Letter(int x, int bottom, int height = 14) {
  return {{x, bottom - height, x + 10, bottom}, false, 50, 10};
}

TEST(LineChains, FollowsSkewedLines) {
  InkItems letters;
  // The second line begins below the end of the first: no row is blank.
  for (int i = 0; i < 60; ++i) {
    letters.push_back(Letter(12 * i, 100 + i / 2));
    letters.push_back(Letter(12 * i, 130 + i / 2));
  }
  const auto lines = ChainLetters(letters, 14);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), 60u);
  EXPECT_EQ(lines[0].back().box.y1, 129);
}

TEST(LineChains, GivesDotsToTheNearestLetter) {
  InkItems letters = {Letter(0, 100), Letter(12, 100), Letter(0, 130), Letter(12, 130)};
  letters.push_back({{14, 80, 17, 83}, false, 9, 3});      // the dot of an i
  letters.push_back({{23, 128, 26, 133}, false, 9, 3});    // a comma
  letters.push_back({{400, 300, 403, 303}, false, 9, 3});  // dirt far away
  const auto lines = ChainLetters(letters, 14);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].size(), 3u);
  EXPECT_EQ(lines[1].size(), 3u);
}

TEST(LineChains, TakesNoLetters) { EXPECT_TRUE(ChainLetters({}, 14).empty()); }

}  // namespace
}  // namespace octavo
