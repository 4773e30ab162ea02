#include "document/ruled_tables.h"

#include <string>

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
    const std::optional<FoundTable> table = FindTable(rows, rules);
    return table ? table->html : "";
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
  EXPECT_EQ(Html({}, 2), "");
  EXPECT_EQ(Html({{80, 85, 200, 87}}, 2), "");    // too short
  EXPECT_EQ(Html({{0, 0, 1000, 1500}}, 1), "");   // a frame around one row
  EXPECT_EQ(Html({{80, 400, 800, 402}}, 2), "");  // far below
}

TEST_F(RuledTables, NeedsTwoRows) { EXPECT_EQ(Html({{80, 90, 800, 210}}, 1), ""); }

// Lines of these cells at a pitch of 40, each cell with the text of its number.
struct Lines {
  explicit Lines(const std::vector<std::vector<Cell>>& rows) {
    for (size_t i = 0; i < rows.size(); ++i) {
      lines.push_back(Row(100 + 40 * static_cast<int>(i), rows[i]));
      texts.emplace_back();
      for (size_t c = 0; c < rows[i].size(); ++c) texts.back().push_back(std::to_string(c));
    }
  }
  std::optional<FoundTable> Find(const std::vector<PixelBox>& rules = {}) const {
    std::vector<TableRow> rows;
    for (size_t i = 0; i < lines.size(); ++i) rows.push_back({&lines[i], &texts[i]});
    return FindTable(rows, rules);
  }
  std::vector<LayoutLine> lines;
  std::vector<std::vector<std::string>> texts;
};

const std::vector<Cell> kThree = {{100, 160}, {400, 460}, {700, 780}};
const std::vector<Cell> kText = {{100, 780}};

TEST(FramedTables, MayHaveRowsOfOneCell) {
  const Lines lines({kThree, {{110, 150}}, kThree, {{410, 440}}, kText});
  // The frame ends above the last line.
  const std::optional<FoundTable> table = lines.Find({{80, 90, 800, 250}});
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->num_rows, 4u);
  EXPECT_EQ(table->box, (PixelBox{80, 90, 800, 250}));
  EXPECT_EQ(table->html,
            "<table><tr><td>0</td><td>1</td><td>2</td></tr><tr><td>0</td><td></td><td></td></tr>"
            "<tr><td>0</td><td>1</td><td>2</td></tr><tr><td></td><td>0</td><td></td></tr></table>");
}

TEST(FramedTables, AreWhatStandsBetweenRulesOfOneWidth) {
  const Lines lines({{{300, 600}}, kThree, {{110, 150}}, kThree, kText});
  const std::vector<PixelBox> rules = {{80, 92, 800, 94}, {80, 130, 800, 132}, {80, 250, 800, 252}};
  const std::optional<FoundTable> table = lines.Find(rules);
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->num_rows, 4u);
  EXPECT_EQ(table->box, (PixelBox{80, 92, 800, 252}));
  EXPECT_FALSE(lines.Find({rules[0], {80, 250, 600, 252}}).has_value());
}

TEST(FramedTables, AreNotBoxesOfText) {
  EXPECT_FALSE(Lines({kText, kText, kThree, kText, kText}).Find({{80, 90, 800, 310}}).has_value());
  EXPECT_FALSE(Lines({kThree, kText, kText, kThree}).Find({{80, 90, 800, 310}}).has_value());
}

TEST(FramedTables, HaveCellsOverSeveralColumns) {
  const std::optional<FoundTable> table =
      Lines({{{150, 420}, {700, 760}}, kThree, kThree, {{120, 500}}, kThree, kThree})
          .Find({{80, 90, 800, 330}});
  ASSERT_TRUE(table.has_value());
  const std::string three = "<tr><td>0</td><td>1</td><td>2</td></tr>";
  EXPECT_EQ(table->html, "<table><tr><td colspan=\"2\">0</td><td>1</td></tr>" + three + three +
                             "<tr><td colspan=\"2\">0</td><td></td></tr>" + three + three +
                             "</table>");
}

TEST(OpenTables, AreThreeLinesOfCellsInColumns) {
  const std::optional<FoundTable> table = Lines({kThree, {{100, 220}, {710, 760}}, kThree}).Find();
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->num_rows, 3u);
  const std::string three = "<tr><td>0</td><td>1</td><td>2</td></tr>";
  EXPECT_EQ(table->html,
            "<table>" + three + "<tr><td>0</td><td></td><td>1</td></tr>" + three + "</table>");
  EXPECT_FALSE(Lines({kThree, kThree}).Find().has_value());
  EXPECT_FALSE(Lines({kThree, kText, kThree, kThree}).Find().has_value());
}

TEST(OpenTables, AreNotJustifiedLinesWithWideGaps) {
  EXPECT_FALSE(Lines({{{100, 300}, {360, 780}}, {{100, 500}, {560, 780}}, {{100, 340}, {400, 780}}})
                   .Find()
                   .has_value());
}

TEST(OpenTables, AreNotNumberedItems) {
  Lines lines({{{100, 120}, {200, 700}}, {{100, 120}, {200, 600}}, {{100, 120}, {200, 650}}});
  ASSERT_TRUE(lines.Find().has_value());
  for (size_t i = 0; i < 3; ++i) lines.texts[i][0] = std::to_string(i + 1) + ".";
  EXPECT_FALSE(lines.Find().has_value());
}

}  // namespace
}  // namespace octavo
