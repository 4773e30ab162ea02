#include "evaluate/score.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Score, CountsCharactersWithoutMarks) {
  const Score score = ScoreMarkdown("## Tltle\n\n- one\n- tw", "# Title\n\n* one\n* two\n");
  EXPECT_EQ(score.num_characters, 13);
  EXPECT_EQ(score.num_character_errors, 2);
  EXPECT_DOUBLE_EQ(score.CharacterError(), 2.0 / 13);
}

TEST(Score, HasNothingToSayWithoutTruthOfAKind) {
  const Score score = ScoreMarkdown("<table><tr><td>a</td></tr></table> $x$", "a x");
  EXPECT_EQ(score.num_character_errors, 0);
  EXPECT_EQ(score.MeanTeds(), std::nullopt);
  EXPECT_EQ(score.MeanTedsStructure(), std::nullopt);
  EXPECT_EQ(score.FormulaMatch(), std::nullopt);
  EXPECT_EQ(score.LayoutF1(), std::nullopt);
}

TEST(Score, CountsMissingTablesAndFormulasAsNothing) {
  const std::string table = "<table><tr><td>a</td></tr></table>";
  const std::string other = "<table><tr><td>b</td></tr></table>";
  const Score score =
      ScoreMarkdown(other + "\n\n$x_{1}$", table + "\n\n" + other + "\n\n$x_1$ $y$");
  EXPECT_EQ(score.num_tables, 2);
  EXPECT_DOUBLE_EQ(score.MeanTeds().value(), 0.5);
  EXPECT_EQ(score.num_formulas, 2);
  EXPECT_DOUBLE_EQ(score.FormulaMatch().value(), 0.5);
}

TEST(Score, IsWhollyWrongForAPageThatWasNotRead) {
  const Score score = ScoreMarkdown("", "Some text.\n\n$$x$$\n\n|a|b|\n|-|-|\n|c|d|");
  EXPECT_DOUBLE_EQ(score.CharacterError(), 1);
  EXPECT_DOUBLE_EQ(score.MeanTeds().value(), 0);
  EXPECT_DOUBLE_EQ(score.FormulaMatch().value(), 0);
}

TEST(Score, CountsABlankPage) {
  EXPECT_DOUBLE_EQ(ScoreMarkdown("", "").CharacterError(), 0);
  EXPECT_DOUBLE_EQ(ScoreMarkdown("abc", "\n").CharacterError(), 3);
}

TEST(Score, AddsUp) {
  Score sum = ScoreMarkdown("ab $x$", "ac $x$");
  sum.Add(ScoreMarkdown("abcdef", "abcdef $y$"));
  EXPECT_EQ(sum.num_characters, 4 + 8);
  EXPECT_EQ(sum.num_character_errors, 3);
  EXPECT_DOUBLE_EQ(sum.FormulaMatch().value(), 0.5);
  EXPECT_EQ(sum.LayoutF1(), std::nullopt);
  Score layout;
  layout.has_layout = true;
  EXPECT_DOUBLE_EQ(layout.LayoutF1().value(), 1);
  layout.layout = {.num_matched = 1, .num_found = 1, .num_true = 3};
  sum.Add(layout);
  EXPECT_DOUBLE_EQ(sum.LayoutF1().value(), 0.5);
}

TEST(Score, LeavesOutTablesTooLargeToCompare) {
  std::string table = "<table>";
  for (int i = 0; i < 3000; ++i) table += "<tr><td>1</td></tr>";
  table += "</table>";
  const Score score = ScoreMarkdown(table, table);
  EXPECT_EQ(score.num_tables_skipped, 1);
  EXPECT_EQ(score.num_tables, 0);
}

}  // namespace
}  // namespace octavo
