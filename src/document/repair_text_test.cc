#include "document/repair_text.h"

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(RepairText, AgreesWithMineruOnEveryCase) {
  const auto cases = ReadTextCases("text");
  ASSERT_GE(cases.size(), 19u);
  for (const TextCase& c : cases) EXPECT_EQ(RepairText(c.raw), c.expected) << c.name;
}

TEST(RepairText, WrapsTableFormulasOutsideExistingTags) {
  EXPECT_EQ(WrapTableFormulas("<td>\\( x \\)</td><td><eq>\\(y\\)</eq></td><td>\\[z\\]</td>"),
            "<td><eq>x</eq></td><td><eq>\\(y\\)</eq></td><td><eq>z</eq></td>");
}

}  // namespace
}  // namespace octavo
