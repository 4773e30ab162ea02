#include "document/repair_equation.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(RepairEquation, AgreesWithMineruOnEveryCaseOfEveryStep) {
  using Step = std::string (*)(std::string_view);
  const std::pair<const char*, Step> kSteps[] = {
      {"eq_delimiters", FixEquationDelimiters},
      {"eq_double_subscript", FixDoubleSubscript},
      {"eq_eqqcolon", FixColonRelations},
      {"eq_big", FixBigDelimiters},
      {"eq_less", SpaceAfterLess},
      {"eq_braces", FixUnbalancedBraces},
      {"equation", [](std::string_view raw) { return WrapEquation(RepairEquation(raw)); }},
  };
  int num_cases = 0;
  for (const auto& [family, step] : kSteps) {
    for (const TextCase& c : ReadTextCases(family)) {
      ++num_cases;
      EXPECT_EQ(step(c.raw), c.expected) << c.name;
    }
  }
  EXPECT_GE(num_cases, 66);
}

TEST(RepairEquation, WrapsOnce) {
  EXPECT_EQ(WrapEquation("x"), "\\[\nx\n\\]");
  EXPECT_EQ(WrapEquation("\\[ x \\]"), "\\[ x \\]");
  EXPECT_EQ(WrapEquation("\\[x"), "\\[x\n\\]");
  EXPECT_EQ(WrapEquation("  "), "");
}

TEST(RepairEquation, SurvivesDeepNestingAndLoneBackslashes) {
  const std::string deep = std::string(5000, '{') + "\\left(" + std::string(4000, '}') + "\\";
  EXPECT_FALSE(RepairEquation(deep).empty());
}

}  // namespace
}  // namespace octavo
