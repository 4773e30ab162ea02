#include "document/page_turn.h"

#include <algorithm>
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "document/ink_map.h"
#include "vision/image.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

int TurnOf(const Image& image) { return FindPageTurn(SortComponents(FindInk(image))); }

// Turned clockwise by `angle`: it takes as much counter-clockwise to be upright.
Image Turned(const Image& image, int angle) {
  return RotateCounterClockwise(image, (360 - angle) % 360);
}

TEST(PageTurn, FindsTheTurnOfEverySamplePage) {
  for (const char* name : {"accounts", "article", "letter", "notice", "receipt", "recipe"}) {
    const std::string path = std::string(OCTAVO_SOURCE_DIR) + "/samples/" + name + ".png";
    const Image page = DecodeImage(MappedFile::Open(path).bytes(), path);
    for (const int angle : {0, 90, 180, 270}) EXPECT_EQ(TurnOf(Turned(page, angle)), angle) << name;
  }
}

// `tops` and `bottoms`: how far every third letter reaches above and below the others.
PageInk Lines(int num_lines, int tops, int bottoms) {
  PageInk ink;
  ink.unit = 10;
  for (int line = 0; line < num_lines; ++line) {
    for (int i = 0; i < 30; ++i) {
      const int y = 100 + 30 * line;
      PixelBox box = {12 * i, y, 12 * i + 9, y + 10};
      if (i % 3 == 0) box.y0 -= tops;
      if (i % 7 == 0) box.y1 += bottoms;
      ink.letters.push_back({box, 50, 10});
    }
  }
  return ink;
}

TEST(PageTurn, IsCarefulWhereLettersDoNotSay) {
  EXPECT_EQ(FindPageTurn(PageInk()), 0);
  EXPECT_EQ(FindPageTurn(Lines(1, 0, 5)), 0);   // too few
  EXPECT_EQ(FindPageTurn(Lines(10, 0, 0)), 0);  // capitals
  EXPECT_EQ(FindPageTurn(Lines(10, 2, 5)), 0);  // as much below as above
  EXPECT_EQ(FindPageTurn(Lines(10, 5, 0)), 0);
  EXPECT_EQ(FindPageTurn(Lines(10, 0, 5)), 180);
}

// Columns of characters, as in vertical writing: closer below each other than beside.
TEST(PageTurn, LeavesVerticalWritingAlone) {
  PageInk ink;
  ink.unit = 20;
  for (int column = 0; column < 10; ++column) {
    for (int i = 0; i < 30; ++i) {
      ink.letters.push_back({{60 * column, 24 * i, 60 * column + 20, 24 * i + 20}, 200, 20});
    }
  }
  EXPECT_EQ(FindPageTurn(ink), 0);
}

TEST(PageTurn, PutsBoxesBackWhereTheyWere) {
  // A page of 200 x 100 pixels with a dark corner, turned upright by each angle.
  Image page(200, 100, 255);
  for (int y = 10; y < 30; ++y) {
    for (int x = 20; x < 80; ++x) page.row(y)[3 * x] = 0;
  }
  for (const int angle : {0, 90, 180, 270}) {
    const Image upright = RotateCounterClockwise(page, angle);
    std::array<double, 4> box = {1, 1, 0, 0};
    for (int y = 0; y < upright.height; ++y) {
      for (int x = 0; x < upright.width; ++x) {
        if (upright.row(y)[3 * x] != 0) continue;
        box[0] = std::min(box[0], static_cast<double>(x) / upright.width);
        box[1] = std::min(box[1], static_cast<double>(y) / upright.height);
        box[2] = std::max(box[2], (x + 1.0) / upright.width);
        box[3] = std::max(box[3], (y + 1.0) / upright.height);
      }
    }
    const std::array<double, 4> back = BoxBeforeTurn(box, angle);
    EXPECT_NEAR(back[0], 0.1, 1e-9) << angle;
    EXPECT_NEAR(back[1], 0.1, 1e-9) << angle;
    EXPECT_NEAR(back[2], 0.4, 1e-9) << angle;
    EXPECT_NEAR(back[3], 0.3, 1e-9) << angle;
  }
}

}  // namespace
}  // namespace octavo
