#include "document/layout_line.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Letters of 10 x 20 pixels; filled to a third.
InkItems Word(int x0, int num_letters) {
  InkItems letters;
  for (int i = 0; i < num_letters; ++i) {
    letters.push_back({{x0 + 12 * i, 80, x0 + 12 * i + 10, 100}, false, 66, 22});
  }
  return letters;
}

InkItems Join(std::initializer_list<InkItems> parts) {
  InkItems all;
  for (const InkItems& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(LayoutLine, MeasuresLettersAndGaps) {
  const LayoutLine line = MakeLine(Join({Word(100, 5), Word(166, 3)}), 7, {});
  EXPECT_EQ(line.column, 7);
  EXPECT_EQ(line.box, (PixelBox{100, 80, 200, 100}));
  EXPECT_EQ(line.num_letters, 8);
  EXPECT_EQ(line.letter_height, 20);
  EXPECT_EQ(line.body_height, 20);
  EXPECT_EQ(line.baseline, 100);
  EXPECT_EQ(line.stroke_width, 3);
  ASSERT_EQ(line.gaps.size(), 1u);
  EXPECT_EQ(line.gaps[0].x0, 158);
  EXPECT_EQ(line.cells.size(), 1u);
  EXPECT_FALSE(line.is_row);
}

TEST(LayoutLine, PartsCellsAtWideGaps) {
  const LayoutLine line = MakeLine(Join({Word(100, 5), Word(210, 3), Word(400, 2)}), 1, {});
  ASSERT_EQ(line.cells.size(), 3u);
  EXPECT_EQ(line.cells[0].x1, 158);
  EXPECT_EQ(line.cells[1].x0, 210);
  EXPECT_EQ(line.cells[2].x1, 422);
  EXPECT_TRUE(line.is_row);
}

TEST(LayoutLine, PartsCloserCellsInAFrame) {
  const InkItems letters = Join({Word(100, 5), Word(190, 3)});
  EXPECT_EQ(MakeLine(letters, 1, {}).cells.size(), 1u);
  EXPECT_EQ(MakeLine(letters, 1, {{50, 40, 900, 500}}).cells.size(), 2u);
  EXPECT_EQ(MakeLine(letters, 1, {{50, 40, 900, 42}}).cells.size(), 1u);  // a rule above
  // Between the rules of a table, and of two different things.
  EXPECT_EQ(MakeLine(letters, 1, {{50, 40, 900, 42}, {50, 300, 900, 302}}).cells.size(), 2u);
  EXPECT_EQ(MakeLine(letters, 1, {{50, 40, 900, 42}, {50, 300, 600, 302}}).cells.size(), 1u);
}

TEST(LayoutLine, CountsWhatFormulasHave) {
  EXPECT_EQ(MakeLine(Word(100, 8), 1, {}).num_scripts, 0);
  const auto with = [](PixelBox box) {
    return MakeLine(Join({Word(100, 4), {{box, false, 40, 10}}, Word(166, 4)}), 1, {}).num_scripts;
  };
  EXPECT_EQ(with({150, 76, 158, 88}), 1);   // raised
  EXPECT_EQ(with({150, 93, 158, 104}), 1);  // lowered
  EXPECT_EQ(with({150, 60, 158, 120}), 1);  // an integral
  EXPECT_EQ(with({150, 86, 158, 100}), 0);  // a small letter
  EXPECT_EQ(with({150, 86, 158, 106}), 0);  // with a tail
  EXPECT_EQ(with({150, 80, 153, 86}), 0);   // an apostrophe
  EXPECT_EQ(with({150, 97, 153, 104}), 0);  // a comma
  EXPECT_EQ(with({148, 90, 158, 92}), 0);   // a dash
  const InkItems fraction = {{{150, 70, 158, 86}, false, 40, 10},
                             {{148, 89, 160, 91}, false, 24, 2},
                             {{150, 94, 158, 110}, false, 40, 10}};
  EXPECT_GT(MakeLine(Join({Word(100, 4), fraction, Word(166, 4)}), 1, {}).num_scripts, 0);
}

TEST(LayoutLine, CountsSignsOfEquality) {
  const InkItems word = Word(100, 4);
  const auto dashes = [](int x0, int x1, int y0) {
    return InkItems{{{x0, y0, x1, y0 + 2}, false, 30, 2}};
  };
  EXPECT_EQ(MakeLine(Join({word, dashes(160, 175, 87), dashes(160, 175, 93)}), 0, {}).num_equals,
            1);
  EXPECT_EQ(MakeLine(Join({word, dashes(160, 175, 90)}), 0, {}).num_equals, 0);  // a minus
  EXPECT_EQ(MakeLine(Join({word, dashes(160, 175, 82), dashes(160, 175, 98)}), 0, {}).num_equals,
            0);
  EXPECT_EQ(MakeLine(Join({word, dashes(160, 175, 87), dashes(180, 195, 93)}), 0, {}).num_equals,
            0);
  EXPECT_EQ(MakeLine(Join({word, dashes(100, 175, 87), dashes(100, 175, 93)}), 0, {}).num_equals,
            0);
}

TEST(LayoutLine, LeavesOutDotLeaders) {
  InkItems dots;
  for (int i = 0; i < 20; ++i) dots.push_back({{170 + 12 * i, 97, 173 + 12 * i, 100}, false, 9, 3});
  const LayoutLine line = MakeLine(Join({Word(100, 5), dots, Word(420, 2)}), 1, {});
  ASSERT_EQ(line.cells.size(), 2u);
  EXPECT_EQ(line.cells[0].x1, 158);
  EXPECT_EQ(line.cells[1].x0, 420);
  EXPECT_TRUE(line.is_row);
}

TEST(LayoutLine, SeesDiscsAndDashesAsBullets) {
  const auto has_bullet = [](InkItem mark) {
    const LayoutLine line = MakeLine(Join({{mark}, Word(100, 6)}), 1, {});
    EXPECT_EQ(line.cells.front().x0, line.has_bullet ? 100 : mark.box.x0);
    return line.has_bullet;
  };
  EXPECT_TRUE(has_bullet({{70, 86, 78, 94}, false, 50, 8}));    // a disc
  EXPECT_TRUE(has_bullet({{70, 90, 82, 93}, false, 36, 3}));    // a dash
  EXPECT_FALSE(has_bullet({{70, 86, 78, 94}, false, 25, 12}));  // a small letter
  EXPECT_FALSE(has_bullet({{70, 96, 74, 100}, false, 16, 4}));  // a full stop
  EXPECT_FALSE(has_bullet({{70, 79, 74, 83}, false, 16, 4}));   // an apostrophe
  EXPECT_FALSE(has_bullet({{90, 86, 98, 94}, false, 50, 8}));   // too close to the word
  EXPECT_FALSE(has_bullet({{20, 90, 32, 93}, false, 36, 3}));   // a dash in a cell of its own
}

}  // namespace
}  // namespace octavo
