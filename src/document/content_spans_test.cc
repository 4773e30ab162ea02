#include "document/content_spans.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string Spans(std::string_view content) {
  std::string out;
  for (const MiddleSpan& span : SplitSpans(content, "text")) {
    out += span.type == "text" ? "[" + *span.content + "]" : "$" + *span.content + "$";
  }
  return out;
}

// Expected values are mineru 3.4.5's.
TEST(ContentSpans, SplitsTextAndFormulas) {
  EXPECT_EQ(Spans("If \\(x > 0\\) then \\( y \\)\\(z\\)."), "[If ]$x > 0$[ then ]$y$$z$[.]");
  EXPECT_EQ(Spans("\\(x\\) \\(y\\)"), "$x$$y$");
  EXPECT_EQ(Spans("If \\(x then \\(y\\)."), "[If \\(x then \\(y\\).]");
  EXPECT_EQ(Spans("If \\(x\n> 0\\) then \\(y\\)."), "[If \\(x\n> 0\\) then ]$y$[.]");
  EXPECT_EQ(Spans("\\(\\)\\(\\)"), "$\\)\\($");
  EXPECT_EQ(Spans(""), "[]");
}

TEST(ContentSpans, FlattensCitations) {
  EXPECT_EQ(FlattenBrackets("As \\[12, 13\\] and \\[4\\]."), "As [12, 13] and [4].");
  EXPECT_EQ(FlattenBrackets("As \\[12 and \\[4\\]."), "As \\[12 and \\[4\\].");
  EXPECT_EQ(FlattenBrackets("\\[a\nb\\] \\[c\\]"), "\\[a\nb\\] [c]");
}

TEST(ContentSpans, PutsTitlesOnOneLine) {
  EXPECT_EQ(JoinTitleLines("A Short\n  Title\n\nHere \n"), "A Short Title Here");
}

TEST(ContentSpans, BaresEquations) {
  EXPECT_EQ(BareEquation("\\[\nE = mc^2\n\\]"), "E = mc^2");
  EXPECT_EQ(BareEquation("x\\]"), "x");
  EXPECT_EQ(BareEquation("\\["), "");
  EXPECT_EQ(BareEquation(""), "");
}

}  // namespace
}  // namespace octavo
