#include "document/markdown_text.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Expected values are mineru 3.4.5's.
TEST(MarkdownText, EscapesMarksOnce) {
  EXPECT_EQ(MarkdownText("5 * 3 = 15, a_b, `x`, ~y~, $4, \\* kept, \\\\* twice"),
            "5 \\* 3 = 15, a\\_b, \\`x\\`, \\~y\\~, \\$4, \\* kept, \\\\\\* twice");
}

TEST(MarkdownText, SetsFormulasInDollars) {
  EXPECT_EQ(MarkdownText("If \\(x > 0\\) then \\( y_{1} \\), else \\(z\\)."),
            "If $x > 0$ then $y_{1}$ , else $z$ .");
  EXPECT_EQ(MarkdownText("Let \\(a*b_c\\) be * and _ here."), "Let $a*b_c$ be \\* and \\_ here.");
  EXPECT_EQ(MarkdownText("If \\(x > 0 then \\(y\\)."), "If \\(x > 0 then \\(y\\).");
  EXPECT_EQ(MarkdownText("If \\(x\n> 0\\) then \\(y\\)."), "If \\(x\n> 0\\) then $y$ .");
}

TEST(MarkdownText, FlattensCitations) {
  EXPECT_EQ(MarkdownText("As shown in \\[12, 13\\] and \\[4\\]."), "As shown in [12, 13] and [4].");
  EXPECT_EQ(MarkdownText("As shown in \\[12 and \\[4\\]."), "As shown in \\[12 and \\[4\\].");
}

TEST(MarkdownText, FoldsFullWidthLettersAndDigits) {
  EXPECT_EQ(MarkdownText("ＡＢＣ１２３ａｂｃ，（全角）"), "ABC123abc，（全角）");
}

TEST(MarkdownText, EscapesWhatWouldBeginABlock) {
  EXPECT_EQ(EscapeMarkdownPrefix("# not a heading"), "\\# not a heading");
  EXPECT_EQ(EscapeMarkdownPrefix("####### seven"), "####### seven");
  EXPECT_EQ(EscapeMarkdownPrefix("- dash"), "\\- dash");
  EXPECT_EQ(EscapeMarkdownPrefix("+ plus"), "\\+ plus");
  EXPECT_EQ(EscapeMarkdownPrefix("-no space"), "-no space");
  EXPECT_EQ(EscapeMarkdownPrefix("#"), "#");
  EXPECT_EQ(EscapeMarkdownPrefix(""), "");
}

TEST(MarkdownText, PutsTitlesOnOneLine) {
  EXPECT_EQ(MarkdownTitle("A Short\n  Title\nHere"), "A Short Title Here");
}

TEST(MarkdownText, WrapsEquations) {
  EXPECT_EQ(MarkdownEquation("\\[\nE = mc^2\n\\]"), "$$\nE = mc^2\n$$");
  EXPECT_EQ(MarkdownEquation(""), "$$\n\n$$");
}

}  // namespace
}  // namespace octavo
