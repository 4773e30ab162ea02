#include "evaluate/page_text.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/utf8.h"

namespace octavo {
namespace {

std::string Utf8(const std::u32string& text) {
  std::string out;
  for (const char32_t c : text) AppendUtf8(c, &out);
  return out;
}

std::string TextOf(std::string_view markdown) { return Utf8(ReadPageText(markdown).text); }

TEST(PageText, FoldsWhiteSpaceAndNormalises) {
  EXPECT_EQ(TextOf(" a \t b\u00A0\u2003c\n\n d \n"), "a b c d");
  EXPECT_EQ(TextOf("e\u0301"), "\u00E9");
  EXPECT_EQ(TextOf("\xFF x"), "\uFFFD x");
  EXPECT_EQ(TextOf(""), "");
}

TEST(PageText, ChangesNothingElse) {
  const std::string text =
      "\"Quoted\" \u2018so\u2019 \u2013 A, a; 5 * 3 = 15, f_max, x_1_2, ~5, $5 and $10, a<b, R&D, "
      "[1], "
      "(see 2), 100%, C#, a|b, 2 ** 3, wow!";
  EXPECT_EQ(TextOf(text), text);
}

TEST(PageText, RemovesMarksInsideLines) {
  EXPECT_EQ(TextOf("**bold** *it* _it_ __b__ ~~s~~ ***x***"), "bold it it b s x");
  EXPECT_EQ(TextOf("*a **b** c*"), "a b c");
  EXPECT_EQ(TextOf("*open\n\nclosed*"), "*open closed*");
  EXPECT_EQ(TextOf("\\*a\\* \\_ \\$5 \\\\ C:\\dir"), "*a* _ $5 \\ C:\\dir");
  EXPECT_EQ(TextOf("line\\\nbreak"), "line break");
  EXPECT_EQ(TextOf("`a*b` ``x`y`` `open"), "a*b x`y `open");
  EXPECT_EQ(TextOf("[text](http://x.org) ![](images/a.jpg) ![*alt*](b.png)"), "text alt");
  EXPECT_EQ(TextOf("a[0](no"), "a[0](no");
  EXPECT_EQ(TextOf("*a [b*c*](d) e*"), "a bc e");
}

TEST(PageText, RemovesHtml) {
  EXPECT_EQ(TextOf("a<br>b H<sub>2</sub>O <!-- no -->c &amp; &lt;d&gt;"), "a b H2O c & <d>");
  EXPECT_EQ(TextOf("<details>\n<summary>s</summary>\n\nt\n</details>"), "s t");
  EXPECT_EQ(TextOf("<table><tr><td>a*b*</td><td>1 &lt; 2</td></tr></table>c"), "a*b* 1 < 2 c");
}

TEST(PageText, CollectsFormulas) {
  const PageText page = ReadPageText(
      "Let $x_1$ be \\(y\\), costs $5 and $10.\n\n$$\na+b\n$$\n\n\\[c\\] `$no$` "
      "<table><tr><td>$t$</td></tr></table>");
  EXPECT_EQ(page.formulas, (std::vector<std::string>{"x_1", "y", "\na+b\n", "c"}));
  EXPECT_EQ(Utf8(page.text), "Let x_1 be y, costs $5 and $10. a+b c $no$ $t$");
}

TEST(PageText, CollectsTables) {
  const PageText page = ReadPageText(
      "a\n\n<table><tr><td><table><tr><td>in</td></tr></table></td></tr></"
      "table>\n\n|x|y|\n|-|-|\n|1|2|\n\n"
      "<table><tr><td>open");
  ASSERT_EQ(page.tables.size(), 3U);
  EXPECT_EQ(page.tables[0], "<table><tr><td><table><tr><td>in</td></tr></table></td></tr></table>");
  EXPECT_EQ(page.tables[1],
            "<table><tr><td>x</td><td>y</td></tr><tr><td>1</td><td>2</td></tr></table>");
  EXPECT_EQ(Utf8(page.text), "a in x y 1 2 open");
}

// Whatever it is given, it ends, and the text is folded.
TEST(PageText, ReadsRandomMarks) {
  Random random(7);
  const std::string marks = "*_~`$\\<>&;|[]()!#-1. \n$$<table><td></table>ab\xC3\xA9\xE2";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (uint64_t n = random.Below(60); n > 0; --n) text += marks[random.Below(marks.size())];
    const std::u32string folded = ReadPageText(text).text;
    ASSERT_EQ(FoldText(Utf8(folded)), folded) << text;
  }
}

TEST(PageText, TakesTimeInProportionToHostileLengths) {
  for (const char* part :
       {"*a", "`", "$a", "\\(", "[", "![a](", "<table>", "<b", "&#1", "_a_ ", "|\n"}) {
    std::string text;
    while (text.size() < 60'000) text += part;
    ReadPageText(text);  // the test's own limit of time is what fails
  }
}

}  // namespace
}  // namespace octavo
