#include "document/otsl.h"

#include <string>

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(Otsl, AgreesWithMineruOnEveryCaseUnderTheReferenceRule) {
  const auto cases = ReadTextCases("otsl");
  ASSERT_GE(cases.size(), 36u);
  for (const TextCase& c : cases) {
    EXPECT_EQ(OtslToHtml(c.raw, OtslRule::kReference), c.expected) << c.name;
  }
}

TEST(Otsl, IsEmptyWithoutAnyCell) {
  for (const OtslRule rule : {OtslRule::kKeepText, OtslRule::kReference}) {
    EXPECT_EQ(OtslToHtml("<lcel><ucel><nl><xcel><lcel><nl>", rule), "");
    EXPECT_EQ(OtslToHtml("<lcel><nl><ucel><lcel><nl>", rule),
              "<table><tr><td></td><td></td></tr><tr><td></td><td></td></tr></table>");
  }
}

TEST(Otsl, ExpandsRowspanAcrossThreeRows) {
  EXPECT_EQ(OtslToHtml("<fcel>Side<fcel>1<nl><ucel><fcel>2<nl><ucel><fcel>3<nl>"),
            "<table><tr><td rowspan=\"3\">Side</td><td>1</td></tr><tr><td>2</td></tr>"
            "<tr><td>3</td></tr></table>");
}

TEST(Otsl, KeepsTextThatTheReferenceLoses) {
  EXPECT_EQ(OtslToHtml("<fcel>x<fcel>y<nl><nl><fcel>z<fcel>w<nl>"),
            "<table><tr><td>x</td><td>y</td></tr><tr><td>z</td><td>w</td></tr></table>");
  EXPECT_EQ(OtslToHtml("pre<fcel>x<fcel>y<nl>"),
            "<table><tr><td>pre x</td><td>y</td></tr></table>");
  EXPECT_EQ(OtslToHtml("<fcel>x<nl>stray<fcel>y<nl>"),
            "<table><tr><td>x stray</td></tr><tr><td>y</td></tr></table>");
  EXPECT_EQ(OtslToHtml(" <table><tr><td>1</td></tr></table>\n"),
            "<table><tr><td>1</td></tr></table>");
}

TEST(Otsl, BoundsTheGridOfARunawayAnswer) {
  std::string otsl;
  for (int i = 0; i < 3000; ++i) otsl += "<ecel>";
  for (int i = 0; i < 3000; ++i) otsl += "<nl><fcel>a";
  EXPECT_LT(OtslToHtml(otsl).size(), size_t{20} << 20);
}

TEST(Otsl, EscapesWhatHtmlReads) {
  EXPECT_EQ(EscapeHtml("a<b & \"c\" 'd'>"), "a&lt;b &amp; &quot;c&quot; &#x27;d&#x27;&gt;");
}

}  // namespace
}  // namespace octavo
