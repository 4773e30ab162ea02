#include "document/post_process.h"

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

TEST(PostProcess, AgreesWithMineruOnEveryCase) {
  int num_cases = 0;
  for (const char* family : {"page_post", "table_block"}) {
    for (const BlocksCase& c : ReadBlocksCases(family)) {
      ++num_cases;
      PostProcessOptions options;
      options.otsl_rule = OtslRule::kReference;
      options.simple = c.simple;
      options.abandon_list = c.abandon_list;
      options.abandon_paratext = c.abandon_paratext;
      options.table_formula_eq_wrap = c.table_formula_eq_wrap;
      EXPECT_EQ(Describe(PostProcess(c.blocks, options)), Describe(c.expected)) << c.name;
    }
  }
  EXPECT_GE(num_cases, 33);
}

TEST(PostProcess, TakesANullFormulaUnderAnEquationBlockAsEmpty) {
  const std::vector<ContentBlock> out = PostProcess({
      {"equation_block", {0.1, 0.1, 0.9, 0.3}, 0, std::nullopt},
      {"equation", {0.1, 0.1, 0.9, 0.2}, 0, std::nullopt},
      {"equation", {0.1, 0.2, 0.9, 0.3}, 0, "a=b"},
  });
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].content, "\\[\n\\begin{array}{l}  \\\\ a=b \\\\ \\end{array}\n\\]");
}

}  // namespace
}  // namespace octavo
