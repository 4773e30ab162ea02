#include "document/ruled_tables.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

LayoutLine Row(int y, std::vector<Cell> cells) {
  LayoutLine line;
  line.box = {cells.front().x0, y, cells.back().x1, y + 20};
  line.letter_height = 20;
  line.cells = std::move(cells);
  line.is_row = true;
  return line;
}

class RuledTables : public testing::Test {
 protected:
  RuledTables()
      : lines_{Row(100, {{100, 160}, {400, 460}, {700, 780}}), Row(140, {{100, 250}, {700, 740}}),
               Row(180, {{90, 200}, {420, 500}, {690, 730}})},
        texts_{{"Item", "a<b", "Change"}, {"Member fees", "+5"}, {"Rent", "7", ""}} {}

  std::string Html(const std::vector<PixelBox>& rules, size_t num_rows = 3) {
    std::vector<TableRow> rows;
    for (size_t i = 0; i < num_rows; ++i) rows.push_back({&lines_[i], &texts_[i]});
    return RuledTableHtml(rows, rules);
  }

  std::vector<LayoutLine> lines_;
  std::vector<std::vector<std::string>> texts_;
};

TEST_F(RuledTables, SortsCellsIntoColumns) {
  EXPECT_EQ(Html({{80, 90, 800, 210}}),
            "<table><tr><td>Item</td><td>a&lt;b</td><td>Change</td></tr>"
            "<tr><td>Member fees</td><td></td><td>+5</td></tr>"
            "<tr><td>Rent</td><td>7</td><td></td></tr></table>");
}

TEST_F(RuledTables, AcceptsASingleRuleAboveTheRows) { EXPECT_NE(Html({{80, 85, 800, 87}}), ""); }

TEST_F(RuledTables, NeedsARuleThatBelongsToTheRows) {
  EXPECT_EQ(Html({}), "");
  EXPECT_EQ(Html({{80, 85, 200, 87}}), "");    // too short
  EXPECT_EQ(Html({{0, 0, 1000, 1500}}), "");   // the frame of the page
  EXPECT_EQ(Html({{80, 400, 800, 402}}), "");  // far below
}

TEST_F(RuledTables, NeedsTwoRows) { EXPECT_EQ(Html({{80, 90, 800, 210}}, 1), ""); }

}  // namespace
}  // namespace octavo
