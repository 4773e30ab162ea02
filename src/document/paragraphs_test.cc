#include "document/paragraphs.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "testing/mineru_cases.h"

namespace octavo {
namespace {

constexpr int kWidth = 1240;
constexpr int kHeight = 1754;

// A line of text 20 pixels high, with word gaps every 60 pixels.
LayoutLine Line(int x0, int x1, int bottom, double letter_height = 20, double stroke = 3) {
  LayoutLine line;
  line.box = {x0, bottom - static_cast<int>(letter_height), x1, bottom};
  line.column = 1;
  line.num_letters = (x1 - x0) / 12;
  line.letter_height = letter_height;
  line.stroke_width = stroke;
  for (int x = x0 + 60; x < x1; x += 60) line.gaps.push_back({x, x + 8});
  line.cells = {{x0, x1}};
  return line;
}

std::vector<ContentBlock> Group(const std::vector<LayoutLine>& lines,
                                const std::vector<std::string>& texts,
                                const std::vector<PixelBox>& rules = {}) {
  std::vector<CellTexts> cells;
  for (const std::string& text : texts) {
    cells.emplace_back();
    for (size_t begin = 0; begin <= text.size();) {
      const size_t end = std::min(text.find('|', begin), text.size());
      cells.back().push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return GroupParagraphs({14, lines, rules}, cells, kWidth, kHeight);
}

std::string Summary(const std::vector<ContentBlock>& blocks) {
  std::string out;
  for (const ContentBlock& block : blocks) {
    out += block.type + (block.text_level > 0 ? std::to_string(block.text_level) : "") + "|" +
           block.content.value_or("-") + "\n";
  }
  return out;
}

TEST(Paragraphs, JoinsLinesUntilAGap) {
  const auto blocks = Group({Line(100, 1100, 200), Line(100, 1100, 235), Line(100, 1090, 270),
                             Line(100, 1100, 345), Line(100, 1095, 380)},
                            {"one", "two", "three", "four", "five"});
  EXPECT_EQ(Summary(blocks), "text|one two three\ntext|four five\n");
  EXPECT_NEAR(blocks[0].bbox[0], 100.0 / kWidth, 1e-9);
  EXPECT_NEAR(blocks[0].bbox[3], 270.0 / kHeight, 1e-9);
}

TEST(Paragraphs, BreaksAtAnIndentAndAfterAShortLine) {
  const auto blocks = Group({Line(100, 1100, 200), Line(100, 1100, 235), Line(140, 1100, 270),
                             Line(100, 500, 305), Line(100, 1100, 340)},
                            {"a", "b", "c", "d", "e"});
  EXPECT_EQ(Summary(blocks), "text|a b\ntext|c d\ntext|e\n");
}

TEST(Paragraphs, KeepsRaggedLinesTogether) {
  const auto blocks =
      Group({Line(100, 1100, 200), Line(100, 1030, 235), Line(100, 1080, 270)}, {"a", "b", "c"});
  EXPECT_EQ(Summary(blocks), "text|a b c\n");
}

TEST(Paragraphs, TakesLargeLettersAsTitles) {
  const auto blocks = Group({Line(100, 600, 200, 36), Line(100, 1100, 280), Line(100, 1100, 315),
                             Line(100, 500, 380, 26), Line(100, 1100, 430), Line(100, 1100, 465)},
                            {"Big", "a", "b", "Middle", "c", "d"});
  EXPECT_EQ(Summary(blocks), "title1|Big\ntext|a b\ntitle2|Middle\ntext|c d\n");
}

TEST(Paragraphs, TakesABoldLineThatStandsApartAsATitle) {
  const std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1100, 235),
                                         Line(100, 300, 300, 20, 5), Line(100, 1100, 340),
                                         Line(100, 1100, 375)};
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "Head", "c", "d"})),
            "text|a b\ntitle2|Head\ntext|c d\n");
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "A sentence.", "c", "d"})),
            "text|a b\ntext|A sentence.\ntext|c d\n");
}

TEST(Paragraphs, PutsItemsIntoAList) {
  const auto blocks = Group({Line(100, 1100, 200), Line(120, 1100, 235), Line(145, 900, 270),
                             Line(120, 1100, 305), Line(100, 1100, 380)},
                            {"Items:", "- first", "goes on", "- second", "after"});
  EXPECT_EQ(Summary(blocks),
            "text|Items:\nlist|-\ntext|- first goes on\ntext|- second\ntext|after\n");
}

TEST(Paragraphs, WritesAPrintedBulletAsADash) {
  LayoutLine first = Line(120, 900, 200);
  first.has_bullet = true;
  LayoutLine second = Line(120, 900, 235);
  second.has_bullet = true;
  EXPECT_EQ(Summary(Group({first, second}, {"pears", "plums"})),
            "list|-\ntext|- pears\ntext|- plums\n");
}

TEST(Paragraphs, KeepsRowsOfCellsApart) {
  LayoutLine row = Line(100, 1100, 200);
  row.gaps = {{300, 700}};
  row.cells = {{100, 300}, {700, 1100}};
  row.is_row = true;
  LayoutLine next = row;
  next.box.y0 += 35;
  next.box.y1 += 35;
  EXPECT_EQ(Summary(Group({row, next}, {"Pears|4", "Plums|6"})), "text|Pears 4\ntext|Plums 6\n");
  EXPECT_EQ(
      Summary(Group({row, next, Line(100, 1100, 300)}, {"Pears|4", "Plums|6", "after"},
                    {{90, 170, 1110, 240}})),
      "table|<table><tr><td>Pears</td><td>4</td></tr><tr><td>Plums</td><td>6</td></tr></table>"
      "\ntext|after\n");
}

TEST(Paragraphs, FindsThePageNumberAtTheFoot) {
  EXPECT_EQ(Summary(Group({Line(100, 1100, 200), Line(600, 630, 1700)}, {"text", "- 12 -"})),
            "text|text\npage_number|- 12 -\n");
  EXPECT_EQ(Summary(Group({Line(100, 1100, 200), Line(600, 630, 900)}, {"text", "12"})),
            "text|text\ntext|12\n");
}

TEST(Paragraphs, SkipsLinesWithoutAnswerAndKeepsPictures) {
  LayoutLine picture = Line(100, 500, 400);
  picture.is_picture = true;
  EXPECT_EQ(Summary(Group({Line(100, 1100, 200), picture, Line(100, 1100, 500)}, {"a", "", " "})),
            "text|a\nimage|-\n");
}

TEST(JoinLines, RemovesTheHyphenOfAPartedWord) {
  EXPECT_EQ(JoinLines("impor-", "tant words"), "important words");
  EXPECT_EQ(JoinLines("North-", "South"), "North- South");
  EXPECT_EQ(JoinLines("1990-", "2000"), "1990- 2000");
  EXPECT_EQ(JoinLines("plain", "words"), "plain words");
  EXPECT_EQ(JoinLines("汉字", "继续"), "汉字继续");
  EXPECT_EQ(JoinLines("", "x"), "x");
  EXPECT_EQ(JoinLines("x", ""), "x");
}

TEST(StartsWithListMark, KnowsBulletsNumbersAndLetters) {
  for (const char* text : {"- a", "* a", "• a", "1. a", "12) a", "(a) b", "[12] Ref", "a) b"}) {
    EXPECT_TRUE(StartsWithListMark(text)) << text;
  }
  for (const char* text :
       {"", "-5", "a b", "1990 was", "A. Smith", "1.5 kg", "(see a)", "-", "["}) {
    EXPECT_FALSE(StartsWithListMark(text)) << text;
  }
}

}  // namespace
}  // namespace octavo
