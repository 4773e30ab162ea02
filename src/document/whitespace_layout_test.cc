#include "document/whitespace_layout.h"

#include <gtest/gtest.h>

#include "testing/printed_page.h"

namespace octavo {
namespace {

WhitespaceLayout LayoutOf(const PrintedPage& page) {
  return FindLines(SortComponents(FindInk(page.image())));
}

TEST(WhitespaceLayout, FindsEveryLineFromTopToBottom) {
  PrintedPage page(1240, 1754);
  for (int i = 0; i < 20; ++i) page.Line(150, 1090, 200 + 40 * i);
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 20u);
  for (int i = 0; i < 20; ++i) {
    const LayoutLine& line = layout.lines[static_cast<size_t>(i)];
    EXPECT_EQ(line.box.x0, 150);
    EXPECT_EQ(line.box.y1, 200 + 40 * i + 7);  // descenders
    EXPECT_GT(line.gaps.size(), 8u);
    EXPECT_EQ(line.column, layout.lines[0].column);
    EXPECT_EQ(line.cells.size(), 1u);
    EXPECT_FALSE(line.is_row);
  }
}

TEST(WhitespaceLayout, ReadsColumnsOneAfterTheOtherBetweenTitleAndFoot) {
  PrintedPage page(1240, 1754);
  page.Line(300, 940, 100, 28);
  // Lines of the right column stand between those of the left, as after a picture.
  for (int i = 0; i < 15; ++i) page.Line(100, 580, 200 + 40 * i);
  for (int i = 0; i < 12; ++i) page.Line(640, 1120, 210 + 40 * i);
  page.Line(100, 1120, 1000);
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 29u);
  EXPECT_EQ(layout.lines[0].box.x0, 300);
  for (size_t i = 1; i <= 15; ++i) EXPECT_LT(layout.lines[i].box.x1, 600) << i;
  for (size_t i = 16; i <= 27; ++i) EXPECT_GT(layout.lines[i].box.x0, 600) << i;
  EXPECT_GT(layout.lines[28].box.width(), 900);
  EXPECT_NE(layout.lines[1].column, layout.lines[16].column);
}

// Lines of the left column that stand below the right column's end: are they read before it? A
// stretch that begins at -1 is a further gap.
bool ReadsRestWithItsColumn(const std::vector<std::pair<int, int>>& rest) {
  PrintedPage page(1240, 1754);
  for (int i = 0; i < 15; ++i) page.Line(100, 580, 200 + 40 * i);
  for (int i = 0; i < 12; ++i) page.Line(640, 1120, 210 + 40 * i);
  int y = 900;  // a large gap, as above a heading or around a formula
  for (const auto& [x0, x1] : rest) {
    if (x0 < 0) {
      y += 80;
      continue;
    }
    page.Line(x0, x1, y += 40);
  }
  const WhitespaceLayout layout = LayoutOf(page);
  size_t last_left = 0;
  size_t first_right = layout.lines.size();
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    if (layout.lines[i].box.x1 < 625) last_left = i;
    if (layout.lines[i].box.x0 > 600) first_right = std::min(first_right, i);
  }
  return last_left < first_right;
}

TEST(WhitespaceLayout, ReadsTheRestOfAColumnWithIt) {
  EXPECT_TRUE(ReadsRestWithItsColumn({{250, 400}, {100, 580}, {100, 580}}));
  EXPECT_TRUE(ReadsRestWithItsColumn({{100, 590}, {100, 580}}));  // a table reaches into the gutter
  EXPECT_FALSE(ReadsRestWithItsColumn({{100, 300}, {100, 280}}));   // a signature
  EXPECT_FALSE(ReadsRestWithItsColumn({{100, 580}, {100, 1120}}));  // the columns have ended
}

TEST(WhitespaceLayout, ReadsColumnsOnACommonGrid) {
  PrintedPage page(1240, 1754);
  for (int i = 0; i < 10; ++i) {
    page.Line(100, 580, 200 + 40 * i);
    page.Line(640, 1120, 200 + 40 * i);
  }
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 20u);
  for (size_t i = 0; i < 10; ++i) EXPECT_LT(layout.lines[i].box.x1, 600) << i;
  for (size_t i = 10; i < 20; ++i) EXPECT_GT(layout.lines[i].box.x0, 600) << i;
}

TEST(WhitespaceLayout, ReadsTheCellsOfATableAcross) {
  PrintedPage page(1240, 900);
  for (int i = 0; i < 8; ++i) {
    page.Line(100, 220, 200 + 50 * i);
    page.Line(500, 560, 200 + 50 * i);
    page.Line(900, 960, 200 + 50 * i);
  }
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 8u);
  for (const LayoutLine& line : layout.lines) {
    EXPECT_GT(line.box.width(), 800);
    EXPECT_EQ(line.cells.size(), 3u);
    EXPECT_TRUE(line.is_row);
  }
}

TEST(WhitespaceLayout, SeparatesLinesOfASkewedPage) {
  PrintedPage page(1240, 1000);
  // 25 pixels over the width: no row of the page is blank between two lines.
  for (int i = 0; i < 12; ++i) page.Line(100, 1100, 150 + 40 * i, 14, 3, 0.025);
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 12u);
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(layout.lines[i].box.x0, 100) << i;
    EXPECT_GT(layout.lines[i].box.width(), 950) << i;
  }
}

TEST(WhitespaceLayout, KeepsAPictureInReadingOrder) {
  PrintedPage page(1240, 1200);
  page.Line(100, 1100, 100);
  page.Fill(300, 200, 900, 500, 90);
  page.Line(100, 1100, 600);
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 3u);
  EXPECT_TRUE(layout.lines[1].is_picture);
  EXPECT_EQ(layout.lines[1].box, (PixelBox{300, 200, 900, 500}));
}

TEST(WhitespaceLayout, KeepsTheDotsOfLargeLettersInTheirLine) {
  PrintedPage page(1240, 800);
  for (int i = 0; i < 10; ++i) page.Line(100, 1100, 300 + 40 * i);
  page.Line(100, 700, 150, 40, 8);
  page.Fill(705, 110, 717, 150, 0);  // an i …
  page.Fill(705, 90, 717, 102, 0);   // … and its dot
  const WhitespaceLayout layout = LayoutOf(page);
  EXPECT_EQ(layout.lines.size(), 11u);
}

TEST(WhitespaceLayout, TakesADiscBeforeTheWordsAsABullet) {
  PrintedPage page(1240, 800);
  for (int i = 0; i < 6; ++i) page.Line(160, 1100, 200 + 50 * i);
  page.Fill(120, 190, 128, 198, 0);  // at half height of the first line
  page.Fill(120, 250, 124, 254, 0);  // a full stop at the baseline of the second
  const WhitespaceLayout layout = LayoutOf(page);
  ASSERT_EQ(layout.lines.size(), 6u);
  EXPECT_TRUE(layout.lines[0].has_bullet);
  EXPECT_EQ(layout.lines[0].box.x0, 120);
  EXPECT_EQ(layout.lines[0].cells.front().x0, 160);
  EXPECT_FALSE(layout.lines[1].has_bullet);
  EXPECT_FALSE(layout.lines[2].has_bullet);
}

TEST(WhitespaceLayout, ReadsPicturesOfOneLineInLettersOfAnySize) {
  for (const int size : {6, 9, 14, 24, 40, 70, 90, 130}) {
    // From a line that fills the picture to one on a page.
    for (const int height : {size * 9 / 4, size * 3, size * 5, size * 9, size * 16, 2000}) {
      PrintedPage page(size * 40, height);
      page.Line(size, size * 39, height / 2 + size / 2, size, std::max(1, size / 6));
      const WhitespaceLayout layout = LayoutOf(page);
      ASSERT_EQ(layout.lines.size(), 1u) << size << " on " << height;
      EXPECT_FALSE(layout.lines[0].is_picture) << size << " on " << height;
      EXPECT_GT(layout.lines[0].gaps.size(), 4u) << size << " on " << height;
    }
  }
}

TEST(WhitespaceLayout, ReadsFewLinesOnALowPicture) {
  for (const int size : {12, 24, 60}) {
    for (const int num_lines : {2, 3, 5}) {
      PrintedPage page(size * 30, size * (3 * num_lines + 2));
      for (int i = 0; i < num_lines; ++i) {
        page.Line(size, size * 29, size * 3 * (i + 1), size, std::max(1, size / 6));
      }
      EXPECT_EQ(LayoutOf(page).lines.size(), static_cast<size_t>(num_lines)) << size;
    }
  }
}

TEST(WhitespaceLayout, ReadsTitlesOfAnySizeOverText) {
  for (const int size : {28, 56, 90, 110, 140, 180}) {
    PrintedPage page(1800, 1600);
    page.Line(100, 1700, 40 + 2 * size, size, size / 6);
    page.Line(100, 1200, 40 + 5 * size, size, size / 6);
    for (int i = 0; i < 10; ++i) page.Line(100, 1700, 1180 + 40 * i);
    const WhitespaceLayout layout = LayoutOf(page);
    ASSERT_EQ(layout.lines.size(), 12u) << size;
    for (const LayoutLine& line : layout.lines) EXPECT_FALSE(line.is_picture) << size;
    EXPECT_GT(layout.lines[0].letter_height, size) << size;
    EXPECT_GT(layout.lines[1].letter_height, size) << size;
    EXPECT_GT(layout.lines[1].box.y0, layout.lines[0].box.y1) << size;
  }
}

TEST(WhitespaceLayout, FindsNothingOnABlankPage) {
  EXPECT_TRUE(LayoutOf(PrintedPage(600, 800)).lines.empty());
}

}  // namespace
}  // namespace octavo
