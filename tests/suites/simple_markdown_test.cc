#include "suites/simple_markdown.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock Text(const std::string& content, bool merge_prev = false) {
  ContentBlock block{"text", {0, 0, 1, 1}, 0, content};
  block.merge_prev = merge_prev;
  return block;
}

TEST(SimpleMarkdown, JoinsContinuedText) {
  EXPECT_EQ(SimpleMarkdown({Text("a"), {"title", {0, 0, 1, 1}, 0, "T"}, Text("b", true)}),
            "a b\n\nT");
  EXPECT_EQ(SimpleMarkdown({Text("\u5c0f\u8239"), Text("\u7ee7\u7eed", true)}),
            "\u5c0f\u8239\u7ee7\u7eed");
}

TEST(SimpleMarkdown, BeginsAParagraphWhereNothingCanBeContinued) {
  EXPECT_EQ(SimpleMarkdown({{"title", {0, 0, 1, 1}, 0, "T"}, Text("a", true), Text("")}), "T\n\na");
  EXPECT_EQ(SimpleMarkdown({}), "");
}

}  // namespace
}  // namespace octavo
