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

TEST(Paragraphs, MakesTablesOfThreeOpenRows) {
  std::vector<LayoutLine> lines;
  for (int i = 0; i < 3; ++i) {
    lines.push_back(Line(100, 1100, 200 + 35 * i));
    lines.back().gaps = {{300, 700}};
    lines.back().cells = {{100, 300}, {700, 1100}};
    lines.back().is_row = true;
  }
  EXPECT_EQ(Summary(Group(lines, {"Pears|4", "Plums|6", "Figs|7"})),
            "table|<table><tr><td>Pears</td><td>4</td></tr><tr><td>Plums</td><td>6</td></tr>"
            "<tr><td>Figs</td><td>7</td></tr></table>\n");
}

// A line that is spread to the width of the column: three words, wide gaps.
LayoutLine SpreadLine(int bottom) {
  LayoutLine line = Line(100, 1100, bottom);
  line.gaps = {{250, 420}, {600, 780}};
  line.cells = {{100, 250}, {420, 600}, {780, 1100}};
  line.is_row = true;
  return line;
}

TEST(Paragraphs, GoOnInLinesSpreadToTheWidthOfTheColumn) {
  const std::vector<LayoutLine> lines = {Line(100, 1100, 200), SpreadLine(235),
                                         Line(100, 1100, 270), Line(100, 300, 305)};
  EXPECT_EQ(Summary(Group(lines, {"one", "the|very|wide", "three", "four"})),
            "text|one the very wide three four\n");
  // Two such lines with their gaps one above the other are rows.
  EXPECT_EQ(Summary(Group({Line(100, 1100, 200), SpreadLine(235), SpreadLine(270)},
                          {"one", "a|b|c", "d|e|f"})),
            "text|one\ntext|a b c\ntext|d e f\n");
}

TEST(Paragraphs, GoOnInLinesThatBeginWithANumber) {
  const std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1095, 235),
                                         Line(100, 1100, 270), Line(100, 600, 305)};
  EXPECT_EQ(Summary(Group(lines, {"It is", "sense", "2. A term", "of art"})),
            "text|It is sense 2. A term of art\n");
  // What is announced is a list.
  EXPECT_EQ(Summary(Group(lines, {"It is", "sense:", "2. A term", "of art"})),
            "text|It is sense:\ntext|2. A term of art\n");
}

TEST(Paragraphs, EndBeforeALittleMoreSpaceWhereBaselinesAreKnown) {
  std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1100, 230), Line(100, 1100, 260),
                                   Line(100, 1100, 299), Line(100, 1100, 329)};
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "c", "d", "e"})), "text|a b c d e\n");
  for (LayoutLine& line : lines) line.baseline = line.box.y1;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "c", "d", "e"})), "text|a b c\ntext|d e\n");
  // Scripts push lines apart.
  lines[3].num_scripts = 1;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "c", "d", "e"})), "text|a b c d e\n");
}

TEST(Paragraphs, KeepAShortLineWithoutHighLetters) {
  std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1100, 235), Line(100, 1100, 270),
                                   Line(100, 300, 305, 15)};
  for (LayoutLine& line : lines) line.body_height = 14;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "c", "some one"})), "text|a b c some one\n");
  lines[3].body_height = 10;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "c", "some one"})), "text|a b c\ntext|some one\n");
}

TEST(Paragraphs, TakeNoLineForATitleBecauseOfItsBrackets) {
  std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1100, 235),
                                   Line(100, 500, 320, 28), Line(100, 1100, 380)};
  for (LayoutLine& line : lines) line.body_height = 14;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "f([x])", "c"})), "text|a b\ntext|f([x])\ntext|c\n");
  lines[2].body_height = 20;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "f([x])", "c"})), "text|a b\ntitle2|f([x])\ntext|c\n");
}

TEST(Paragraphs, LeaveFormulasUnread) {
  std::vector<LayoutLine> lines = {Line(100, 1100, 200), Line(100, 1100, 235), Line(500, 700, 300),
                                   Line(100, 1100, 370)};
  lines[2].num_scripts = 2;
  EXPECT_EQ(Summary(Group(lines, {"a", "b", "s4 oc Xf", "c"})), "text|a b\nequation|-\ntext|c\n");
}

TEST(Paragraphs, AreCaptionsBesidePictures) {
  LayoutLine picture = Line(100, 700, 400);
  picture.is_picture = true;
  EXPECT_EQ(Summary(Group({picture, Line(100, 500, 440), Line(100, 1100, 520)},
                          {"", "Figure 1: Trees", "Text"})),
            "image|-\nimage_caption|Figure 1: Trees\ntext|Text\n");
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

}  // namespace
}  // namespace octavo
