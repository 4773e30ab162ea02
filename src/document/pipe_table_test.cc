#include "document/pipe_table.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Expected values are mineru-vl-utils 2.0.7's.
TEST(PipeTable, BecomesHtmlWithAHeader) {
  EXPECT_EQ(PipeTableToHtml("| a \\| b | c |\n| --- | :---: |\n| <x> | & |\n"),
            "<table><tr><th>a | b</th><th>c</th></tr><tr><td>&lt;x&gt;</td><td>&amp;</td></tr>"
            "</table>");
}

TEST(PipeTable, IsStrictAboutItsForm) {
  EXPECT_EQ(PipeTableToHtml(""), std::nullopt);
  EXPECT_EQ(PipeTableToHtml("a | b"), std::nullopt);
  EXPECT_EQ(PipeTableToHtml("a | b\n1 | 2"), std::nullopt);
  EXPECT_EQ(PipeTableToHtml("a | b\n--- | ---\n\n1 | 2"), std::nullopt);
  EXPECT_EQ(PipeTableToHtml("a | b\n--- | ---\n1 | 2 | 3"), std::nullopt);
  EXPECT_EQ(PipeTableToHtml("a | b\n-- | ---"), std::nullopt);
}

TEST(PipeTable, KnowsMalformedOnes) {
  EXPECT_FALSE(HasMalformedPipeTable("| a | b |\n| --- | --- |\n| 1 | 2 |"));
  EXPECT_FALSE(HasMalformedPipeTable("| a | b |\n\n| --- | --- |\nwords"));
  EXPECT_FALSE(HasMalformedPipeTable("words | and"));
  EXPECT_TRUE(HasMalformedPipeTable("| a | b |\n| --- | --- |\n| 1 | 2 | 3 |"));
  EXPECT_TRUE(HasMalformedPipeTable("| a | b |\n| 1 | 2 |"));
  EXPECT_TRUE(HasMalformedPipeTable("| --- | --- |\n| 1 | 2 |"));
  EXPECT_TRUE(HasMalformedPipeTable("words\n| --- | --- |"));
}

}  // namespace
}  // namespace octavo
