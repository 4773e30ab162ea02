#include "document/code_text.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(CodeText, KeepsTheModelsLanguage) {
  EXPECT_EQ(FenceCode("```py\nprint(1)\n```"), "```py\nprint(1)\n```");
  EXPECT_EQ(FenceCode("x = 1"), "```txt\nx = 1\n```");
}

TEST(CodeText, CannotBeClosedFromInside) {
  EXPECT_EQ(FenceCode("a\n```\nb"), "````txt\na\n```\nb\n````");
}

TEST(CodeText, EscapesAlgorithmsButNotTheirFormulas) {
  EXPECT_EQ(AlgorithmHtml("1: if a<b then \\( x_1 \\)"),
            "<div class=\"mineru-algorithm\" style=\"white-space: pre-wrap; "
            "font-family:monospace;\">\n1: if a&lt;b then $x_1$\n</div>");
  EXPECT_EQ(AlgorithmHtml("  "), "");
}

}  // namespace
}  // namespace octavo
