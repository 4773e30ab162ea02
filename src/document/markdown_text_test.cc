#include "document/markdown_text.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Expected values are mineru 3.4.5's.
TEST(MarkdownText, EscapesMarksOnce) {
  EXPECT_EQ(EscapeMarkdown("5 * 3 = 15, a_b, `x`, ~y~, $4, \\* kept, \\\\* twice"),
            "5 \\* 3 = 15, a\\_b, \\`x\\`, \\~y\\~, \\$4, \\* kept, \\\\\\* twice");
  EXPECT_EQ(EscapeMarkdown("a\\"), "a\\");
}

TEST(MarkdownText, EscapesWhatWouldBeginABlock) {
  EXPECT_EQ(EscapeMarkdownPrefix("# not a heading"), "\\# not a heading");
  EXPECT_EQ(EscapeMarkdownPrefix("####### seven"), "####### seven");
  EXPECT_EQ(EscapeMarkdownPrefix("- dash"), "\\- dash");
  EXPECT_EQ(EscapeMarkdownPrefix("-\tdash"), "\\-\tdash");
  EXPECT_EQ(EscapeMarkdownPrefix("   ## b"), "   \\## b");
  EXPECT_EQ(EscapeMarkdownPrefix("    # c"), "    # c");
  EXPECT_EQ(EscapeMarkdownPrefix("+ plus"), "\\+ plus");
  EXPECT_EQ(EscapeMarkdownPrefix("-no space"), "-no space");
  EXPECT_EQ(EscapeMarkdownPrefix("#\xC2\xA0x"), "#\xC2\xA0x");
  EXPECT_EQ(EscapeMarkdownPrefix("#"), "#");
  EXPECT_EQ(EscapeMarkdownPrefix("   "), "   ");
  EXPECT_EQ(EscapeMarkdownPrefix(""), "");
}

TEST(MarkdownText, FoldsFullWidthLettersAndDigits) {
  EXPECT_EQ(FoldFullWidth("ＡＢＣ１２３ａｂｃ，（全角）"), "ABC123abc，（全角）");
  EXPECT_EQ(FoldFullWidthForms("（Ａ）～中"), "(A)~中");
}

TEST(MarkdownText, KnowsHyphensAtTheEnd) {
  for (const char* text : {"un-", "a- ", "x-\n", "word\xC2\xAD", "word\xE2\x80\x90"}) {
    EXPECT_TRUE(EndsWithHyphen(text)) << text;
  }
  for (const char* text : {"", "-", "3-", "well-known", "word\xE2\x80\x93", "\xC3\xA9-", "中-"}) {
    EXPECT_FALSE(EndsWithHyphen(text)) << text;
  }
}

}  // namespace
}  // namespace octavo
