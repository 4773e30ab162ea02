#include "evaluate/latex_form.h"

#include <string>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

TEST(LatexForm, SplitsIntoTokens) {
  EXPECT_EQ(NormalLatex("\\alpha x+\\{1\\}"), "\\alpha x + \\{ 1 \\}");
  EXPECT_EQ(NormalLatex("\u03B1b"), "\u03B1 b");
  EXPECT_EQ(NormalLatex("\\"), "\\");
  EXPECT_EQ(NormalLatex(""), "");
}

TEST(LatexForm, MakesEqualWhatLooksEqual) {
  const char* pairs[][2] = {
      {"x ^ { 2 }", "x^2"},
      {"\\frac{1}{2}", "\\frac 1 2"},
      {"\\dfrac{a}{b}", "\\frac{a}{b}"},
      {"x^{a}_{b}", "x_b^a"},
      {"\\sum_{i=1}^{n}", "\\sum^{n}_{i=1}"},
      {"x^{y^{a}_{b}}_{c}", "x_c^{y_b^a}"},
      {"\\left( a \\right)", "(a)"},
      {"\\left\\{ a \\right.", "\\{a"},
      {"\\bigl[ a \\bigr]", "[a]"},
      {"a \\le b", "a\\leq b"},
      {"a\\,b\\quad c~d\\ e", "abcde"},
      {"a = b \\tag{3.1}", "a=b"},
      {"a = b \\tag*{x}\\label{eq:1}.", "a=b"},
      {"{{ab}}", "{ab}"},
      {"{}^{2}x", "^2x"},
      {"\\displaystyle\\int\\limits_0^1", "\\int_0^1"},
      {"f: A \\to B,", "f \\colon A\\rightarrow B"},
  };
  for (const auto& pair : pairs) EXPECT_EQ(NormalLatex(pair[0]), NormalLatex(pair[1])) << pair[0];
}

TEST(LatexForm, KeepsWhatLooksDifferent) {
  const char* pairs[][2] = {
      {"x^{12}", "x^12"},
      {"xy", "x y'"},
      {"\\frac{ab}{c}", "\\frac{a}{bc}"},
      {"a_b^c", "a^b_c"},
      {"A", "a"},
      {"\\mathbf{x}", "x"},
      {"\\sin x", "sin x"},
      {"a.b", "ab"},
      {"\\}", "}"},
      {"\\cdots", "\\ldots"},
      {"\\alphax", "\\alpha x"},
      {"{a", "a"},
  };
  for (const auto& pair : pairs) EXPECT_NE(NormalLatex(pair[0]), NormalLatex(pair[1])) << pair[0];
}

// The form of a form is the form; whatever comes, it ends.
TEST(LatexForm, IsStableOnRandomTokens) {
  Random random(11);
  const char* const parts[] = {"{",      "}",      "^",        "_",     "a", "b", " ",
                               "\\frac", "\\left", "\\right.", "\\tag", ",", "\\"};
  for (int i = 0; i < 20'000; ++i) {
    std::string latex;
    for (uint64_t n = random.Below(24); n > 0; --n) latex += parts[random.Below(std::size(parts))];
    NormalLatex(latex);
  }
  EXPECT_EQ(NormalLatex(NormalLatex("x^{a}_{bc} \\left(\\frac{1}{2}\\right)")),
            NormalLatex("x^{a}_{bc} \\left(\\frac{1}{2}\\right)"));
}

}  // namespace
}  // namespace octavo
