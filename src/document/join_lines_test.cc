#include "document/join_lines.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(JoinLines, RemovesTheHyphenOfAPartedWord) {
  EXPECT_EQ(JoinLines("impor-", "tant words"), "important words");
  EXPECT_EQ(JoinLines("North-", "South"), "North- South");
  EXPECT_EQ(JoinLines("1990-", "2000"), "1990- 2000");
  EXPECT_EQ(JoinLines("plain", "words"), "plain words");
  EXPECT_EQ(JoinLines("汉字", "继续"), "汉字继续");
  EXPECT_EQ(JoinLines("", "x"), "x");
  EXPECT_EQ(JoinLines("x", ""), "x");
}

}  // namespace
}  // namespace octavo
