#include "document/cell_merge.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

ContentBlock Table(const std::string& rows) {
  return {"table", {0.1, 0.1, 0.9, 0.5}, 0, "<table>" + rows + "</table>"};
}

TEST(CellMerge, AsksAboutTablesThatMeet) {
  const auto questions = FindCellMergeQuestions(
      {{Table("<tr><td>a'b</td><td>\xC2\xA0x\\</td></tr>"), {"footer", {0, 0.9, 1, 1}, 0, "f"}},
       {{"header", {0, 0, 1, 0.1}, 0, "h"}, Table("<tr><td></td><td>goes \"on\" 'x'</td></tr>")}});
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions[0].page, 1u);
  EXPECT_EQ(questions[0].block, 1u);
  // As mineru-vl-utils 2.0.7 writes it.
  EXPECT_EQ(questions[0].prompt,
            "Please merge the next two tables.\n\n## Table 1 (Previous Page - Last Table)\n\n"
            "**Caption:** (No caption)\n**Last Row(s) Data:**\n[[\"a'b\", 'x\\\\']]\n\n---\n\n"
            "## Table 2 (Current Page - First Table)\n\n**Caption:** (No caption)\n"
            "**First Data Row(s):**\n[['', 'goes \"on\" \\'x\\'']]");
}

TEST(CellMerge, AsksNothingWhereTablesDoNotMeet) {
  const ContentBlock table = Table("<tr><td>a</td></tr>");
  const ContentBlock text{"text", {0, 0, 1, 1}, 0, "t"};
  EXPECT_TRUE(FindCellMergeQuestions({{table, text}, {table}}).empty());
  EXPECT_TRUE(FindCellMergeQuestions({{table}, {}, {table}}).empty());
  EXPECT_TRUE(
      FindCellMergeQuestions({{table}, {{"table", {0, 0, 1, 1}, 0, std::nullopt}}}).empty());
  EXPECT_TRUE(FindCellMergeQuestions({{table}, {Table("")}}).empty());
}

TEST(CellMerge, SpreadsTheAnswerOverColumns) {
  CellMergeQuestion question;
  question.columns = {{0, 2}, {2, 3}};
  EXPECT_EQ(ReadCellMergeAnswer(question, "It is [1 ,\n0]."), (std::vector<int>{1, 1, 0}));
  EXPECT_EQ(ReadCellMergeAnswer(question, "[a] [[0,1]]"), (std::vector<int>{0, 0, 1}));
  for (const char* answer : {"", "[", "[]", "[1]", "[1,0,0]", "[1,2]", "[1 0]", "[01,0]", "[1,]"}) {
    EXPECT_TRUE(ReadCellMergeAnswer(question, answer).empty()) << answer;
  }
}

}  // namespace
}  // namespace octavo
