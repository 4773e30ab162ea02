#include "document/formula_lines.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

constexpr FormulaPlace kPlace = {100, 1100, 160, 20};

LayoutLine Line(int x0, int x1, int y0, int height = 24, int num_scripts = 0) {
  LayoutLine line;
  line.box = {x0, y0, x1, y0 + height};
  line.num_letters = 8;
  line.letter_height = height;
  line.num_scripts = num_scripts;
  return line;
}

size_t Count(const std::vector<LayoutLine>& lines, const std::vector<std::string_view>& texts) {
  std::vector<FormulaLine> input;
  for (size_t i = 0; i < lines.size(); ++i) input.push_back({&lines[i], texts[i]});
  return CountFormulaLines(input, kPlace);
}

TEST(FormulaLines, HaveScriptsAndNoWords) {
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 1)}, {"s4 oc Xf"}), 1u);
  EXPECT_EQ(Count({Line(100, 300, 200, 24, 1)}, {"a2 = b"}), 1u);  // at the margin
  EXPECT_EQ(Count({Line(100, 300, 200, 24, 1)}, {"1st of 2"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 1)}, {"where x2 stands"}), 0u);
  EXPECT_EQ(Count({Line(100, 300, 200, 24, 2)}, {"to a pig, a pig to a man, and a man"}), 0u);
  EXPECT_EQ(Count({Line(100, 300, 200, 24, 2)}, {"- ifj g"}), 1u);
  EXPECT_EQ(Count({Line(100, 300, 200, 24, 2)}, {"max log x, PV = nRT"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"tana = sina"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"single minutes"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 0)}, {"12 34 5"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 1)}, {"93%"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"- 117 -"}), 0u);  // in a face of broken strokes
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"第一章"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"\\(a^{2}=b\\)"}), 0u);  // read as one
}

TEST(FormulaLines, HaveARelationInTheMiddleOfTheColumn) {
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"(J + 6) < Ly"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"sin(x) = 1"}), 1u);
  EXPECT_EQ(Count({Line(100, 300, 200)}, {"x = 1;"}), 0u);  // a program's, more likely
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"name = value"}), 0u);
}

// A model that knows formulas writes LaTeX where it is asked for a line of text.
TEST(FormulaLines, MayHaveBeenReadAsLatex) {
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"A\\equiv mr"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"A\\equiv mr^{2}"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"\\alpha_{\\epsilon}\\omega"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"\\alpha stands alone here"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"x = C:\\users\\public"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"= \\\\server\\letters"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"x = src\\users\\public"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"a\\long\\path\\name"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"A\\subseteq B"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"\\DeltaS\\geq0"}), 1u);
  EXPECT_EQ(Count({Line(500, 700, 200)}, {"3\\times4"}), 0u);  // no relation
}

TEST(FormulaLines, MayHaveASignOfEqualityThatWasNotRead) {
  LayoutLine line = Line(500, 700, 200);
  EXPECT_EQ(Count({line}, {"PV nRT"}), 0u);
  line.num_equals = 1;
  EXPECT_EQ(Count({line}, {"PV nRT"}), 1u);
  EXPECT_EQ(Count({line}, {"name value"}), 0u);
}

TEST(FormulaLines, MayHaveBeenReadAsNoText) {
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2)}, {"\uFFFD\uFFFD k = 0"}), 1u);
}

TEST(FormulaLines, TakeLimitsAndNumeratorsWithThem) {
  EXPECT_EQ(Count({Line(500, 520, 200, 14), Line(480, 700, 220, 24), Line(480, 540, 250, 14),
                   Line(100, 1100, 300)},
                  {"W", "n X - f", "k=0", "And then the text goes on as it was before"}),
            3u);
  // Two short lines of one size are no formula.
  EXPECT_EQ(Count({Line(500, 700, 200), Line(500, 700, 228)}, {"A. B.", "C. D."}), 0u);
}

TEST(FormulaLines, StandApart) {
  EXPECT_EQ(Count({Line(500, 700, 165, 24, 2)}, {"a2 + b"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 165, 24, 2)}, {"a^{2}+b"}), 1u);
  EXPECT_EQ(Count({Line(100, 300, 165, 24, 2)}, {"a^{2}+b"}), 0u);
  EXPECT_EQ(Count({Line(500, 700, 200, 24, 2), Line(100, 1100, 230)},
                  {"a2 + b", "and then the text goes on as it was before"}),
            0u);
}

TEST(FormulaLines, AreNotRowsOfCells) {
  LayoutLine row = Line(300, 900, 200, 24, 3);
  EXPECT_EQ(Count({row}, {"@ : : # @"}), 1u);
  row.is_row = true;
  EXPECT_EQ(Count({row}, {"@ : : # @"}), 0u);
  EXPECT_EQ(Count({row, Line(300, 900, 228)}, {"3 6", "+ = 0"}), 2u);
}

TEST(FormulaLines, AreNotThereWithoutLines) { EXPECT_EQ(Count({}, {}), 0u); }

}  // namespace
}  // namespace octavo
