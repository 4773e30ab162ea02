#include "document/text_lines.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

using Lines = std::vector<std::string_view>;

// Expected values are Python 3.11's.
TEST(TextLines, SplitsAsPythonDoes) {
  EXPECT_EQ(SplitLines(""), Lines{});
  EXPECT_EQ(SplitLines("a"), Lines{"a"});
  EXPECT_EQ(SplitLines("a\n"), Lines{"a"});
  EXPECT_EQ(SplitLines("\n"), Lines{""});
  EXPECT_EQ(SplitLines("a\r\nb\rc\n\nd"), (Lines{"a", "b", "c", "", "d"}));
  EXPECT_EQ(SplitLines("a\xE2\x80\xA8"
                       "b\xC2\x85"
                       "c\x1C"
                       "d"),
            (Lines{"a", "b", "c", "d"}));
  EXPECT_EQ(SplitLines("a\xFF"
                       "b"),
            Lines{"a\xFF"
                  "b"});
}

TEST(TextLines, JoinsWithTheSourcesLastLineFeed) {
  EXPECT_EQ(JoinLines({"a", "b"}, "x\n"), "a\nb\n");
  EXPECT_EQ(JoinLines({"a", "b"}, "x"), "a\nb");
  EXPECT_EQ(JoinLines({}, ""), "");
}

TEST(TextLines, CountsCodePoints) {
  EXPECT_EQ(CountChars("a\xC3\xA4\xE4\xB8\xAD\xF0\x9F\x99\x82"), 4u);
  EXPECT_EQ(CountChars("\xFF\xFF"), 2u);
}

TEST(TextLines, CollapsesSpace) {
  EXPECT_EQ(CollapseSpace(" a \t\n b\xE3\x80\x80"
                          "c "),
            "a b c");
  EXPECT_EQ(CollapseSpace("  "), "");
}

TEST(TextLines, LowersAsciiAlone) { EXPECT_EQ(LowerAscii("aBZ\xC3\x84"), "abz\xC3\x84"); }

TEST(TextLines, CountsWithoutOverlap) {
  EXPECT_EQ(CountOf("aaaa", "aa"), 2u);
  EXPECT_EQ(CountOf("abcab", "ab"), 2u);
  EXPECT_EQ(CountOf("", "a"), 0u);
}

TEST(TextLines, ReplacesWithoutReadingTheReplacement) {
  EXPECT_EQ(ReplaceAll("aXbX", "X", "XX"), "aXXbXX");
  EXPECT_EQ(ReplaceAll("", "X", "y"), "");
}

}  // namespace
}  // namespace octavo
