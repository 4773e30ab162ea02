#include "document/repair_left_right.h"

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(RepairLeftRight, AgreesWithMineruOnEveryCase) {
  const auto cases = ReadTextCases("eq_left_right");
  ASSERT_GE(cases.size(), 14u);
  for (const TextCase& c : cases) EXPECT_EQ(MatchLeftRight(c.raw), c.expected) << c.name;
}

TEST(RepairLeftRight, LeavesALoneMacroAndBadlyNestedArraysAlone) {
  EXPECT_EQ(MatchLeftRight("\\left"), "\\left");
  const char* kBad = "\\left( \\end{array} a \\begin{array}{c}";
  EXPECT_EQ(MatchLeftRight(kBad), kBad);
}

}  // namespace
}  // namespace octavo
