#include "document/white_space.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(WhiteSpace, TrimsAsPythonDoes) {
  EXPECT_EQ(TrimSpace(" \t\n a b \x1c"), "a b");
  EXPECT_EQ(TrimSpace("\u3000\u00a0x\u2003"), "x");
  EXPECT_EQ(TrimSpace("\u200bx"), "\u200bx");  // a zero-width space is none
  EXPECT_EQ(TrimSpace(""), "");
}

TEST(WhiteSpace, KeepsInvalidBytes) {
  EXPECT_EQ(TrimSpace(" \xe3\x80 "), "\xe3\x80");
  EXPECT_EQ(TrimSpace("\x80\x80\x80\x80"), "\x80\x80\x80\x80");
}

TEST(WhiteSpace, KnowsBlankTexts) {
  EXPECT_TRUE(IsBlank(" \n"));
  EXPECT_FALSE(IsBlank("."));
}

}  // namespace
}  // namespace octavo
