#include "document/ink_components.h"

#include <gtest/gtest.h>

#include "testing/printed_page.h"

namespace octavo {
namespace {

InkMap MapOf(std::initializer_list<const char*> rows) {
  InkMap map;
  for (const char* row : rows) {
    ++map.height;
    map.width = 0;
    for (const char* c = row; *c != 0; ++c, ++map.width) map.ink.push_back(*c == '#' ? 1 : 0);
  }
  return map;
}

TEST(InkComponents, JoinsDiagonalNeighboursAndClosesLoops) {
  const auto components = FindComponents(MapOf({"#..#.", ".#.#.", "...#.", "##.##", "##..."}));
  ASSERT_EQ(components.size(), 3u);
  EXPECT_EQ(components[0].box, (PixelBox{0, 0, 2, 2}));
  EXPECT_EQ(components[1].box, (PixelBox{3, 0, 5, 4}));
  EXPECT_EQ(components[1].num_pixels, 5);
  EXPECT_EQ(components[2].num_pixels, 4);
  EXPECT_EQ(components[2].num_runs, 2);
  EXPECT_EQ(components[2].stroke_width(), 2.0);
}

TEST(InkComponents, JoinsTwoArmsThatMeetBelow) {
  const auto components = FindComponents(MapOf({"#.#.#", "#.#.#", "#####"}));
  ASSERT_EQ(components.size(), 1u);
  EXPECT_EQ(components[0].num_pixels, 11);
}

TEST(InkComponents, DropsDirtRulesAndFramesAndGathersPictures) {
  PrintedPage page(1000, 1000);
  for (int y = 100; y < 300; y += 40) page.Line(100, 900, y);
  page.Fill(100, 320, 900, 322, 0);                                 // a rule
  page.Fill(950, 100, 952, 101, 0);                                 // dirt
  for (const int y : {400, 597}) page.Fill(100, y, 900, y + 3, 0);  // a frame
  for (const int x : {100, 897}) page.Fill(x, 400, x + 3, 600, 0);
  page.Line(120, 880, 500);           // print inside the frame
  page.Fill(200, 700, 500, 900, 70);  // a photograph …
  page.Fill(505, 700, 700, 900, 70);  // … in two parts
  const PageInk ink = SortComponents(FindInk(page.image()));
  EXPECT_NEAR(ink.unit, 14, 7);
  ASSERT_EQ(ink.pictures.size(), 1u);
  EXPECT_EQ(ink.pictures[0], (PixelBox{200, 700, 700, 900}));
  for (const InkComponent& letter : ink.letters) {
    EXPECT_LT(letter.box.width(), 40);
    EXPECT_TRUE(letter.box.y1 < 320 || (letter.box.y0 > 450 && letter.box.y1 < 550));
  }
  EXPECT_GT(ink.letters.size(), 300u);
}

TEST(InkComponents, KeepsSpeckledPartsOfAPictureThatStandInARow) {
  for (const bool is_speckled : {false, true}) {
    PrintedPage page(1000, 1000);
    for (int y = 100; y < 300; y += 40) page.Line(100, 900, y);
    for (const int x : {200, 330, 460, 590}) {
      page.Fill(x, 500, x + 100, 620, 40);
      page.Fill(x + 20, 500, x + 80, 590, 255);
      for (int i = 0; is_speckled && i < 12; ++i) {
        page.Fill(x + 26 + 12 * (i % 4), 510 + 25 * (i / 4), x + 31 + 12 * (i % 4),
                  515 + 25 * (i / 4), 40);
      }
    }
    const PageInk ink = SortComponents(FindInk(page.image()));
    EXPECT_EQ(ink.pictures.empty(), !is_speckled);
  }
}

TEST(InkComponents, JoinsTheRulesOfATableThatAreDrawnRowByRow) {
  PrintedPage page(1000, 1000);
  for (int y = 100; y < 300; y += 40) page.Line(100, 900, y);
  for (int row = 0; row < 4; ++row) {
    for (const int x : {99, 400, 701}) page.Fill(x, 402 + 31 * row, x + 1, 430 + 31 * row, 0);
    page.Line(110, 300, 425 + 31 * row, 10, 2);
    page.Line(500, 600, 425 + 31 * row, 10, 2);
  }
  const PageInk ink = SortComponents(FindInk(page.image()));
  EXPECT_EQ(ink.rules.size(), 0u);  // three pixels apart

  for (int row = 0; row < 4; ++row) {
    for (const int x : {99, 400, 701}) page.Fill(x, 430 + 31 * row, x + 1, 431 + 31 * row, 0);
  }
  const PageInk joined = SortComponents(FindInk(page.image()));
  EXPECT_EQ(joined.rules.size(), 3u);
  for (const InkComponent& letter : joined.letters) EXPECT_GT(letter.box.width(), 1);
}

TEST(InkComponents, HasNoUnitWithoutLetters) {
  EXPECT_EQ(SortComponents(FindInk(Image(300, 300))).unit, 0);
}

}  // namespace
}  // namespace octavo
