#include "document/page_skew.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "document/ink_map.h"
#include "octavo/error.h"
#include "testing/printed_page.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

double SkewOf(const Image& image) {
  const InkMap map = FindInk(image);
  return FindPageSkew(SortComponents(map), map.width, map.height);
}

Image SamplePage(const std::string& name) {
  const std::string path = std::string(OCTAVO_SOURCE_DIR) + "/samples/" + name + ".png";
  return DecodeImage(MappedFile::Open(path).bytes(), path);
}

TEST(PageSkew, FindsTheSkewOfEverySamplePage) {
  for (const char* name : {"accounts", "article", "letter", "notice", "receipt", "recipe"}) {
    const Image page = SamplePage(name);
    EXPECT_EQ(SkewOf(page), 0) << name;
    for (const double slope : {-0.05, -0.014, 0.008, 0.03}) {
      // Straightening by the opposite sets it askew.
      EXPECT_NEAR(SkewOf(Straighten(page, -slope, 255)), slope, 0.004) << name;
    }
  }
}

TEST(PageSkew, IsCarefulWhereLettersDoNotSay) {
  EXPECT_EQ(FindPageSkew(PageInk(), 100, 100), 0);
  PrintedPage few(600, 200);
  few.Line(50, 500, 100, 14, 3, 0.03);
  EXPECT_EQ(SkewOf(few.image()), 0);
  // Letters without lines.
  PageInk ink;
  ink.unit = 10;
  uint32_t seed = 1;
  const auto next = [&seed] {
    return static_cast<int>((seed = seed * 1664525U + 1013904223U) >> 22);
  };
  for (int i = 0; i < 500; ++i) {
    const int x = next();
    const int y = next();
    ink.letters.push_back({{x, y, x + 8, y + 10}, 50, 10});
  }
  EXPECT_EQ(FindPageSkew(ink, 1024, 1024), 0);
}

// Level lines of narrow columns, each column at a height of its own.
TEST(PageSkew, DoesNotTakeStaggeredColumnsForSlopingLines) {
  for (const int shift : {6, 12, 20}) {
    PrintedPage page(1240, 1754);
    for (int i = 0; i < 36; ++i) {
      page.Line(200, 260, 150 + 40 * i);
      page.Line(800, 860, 150 + shift + 40 * i);
    }
    EXPECT_EQ(SkewOf(page.image()), 0) << shift;
  }
}

// A page of a long strip would become many times as large.
TEST(PageSkew, LeavesLongStripsAlone) {
  PrintedPage page(200, 9000);
  for (int y = 100; y < 8900; y += 40) page.Line(20, 180, y, 14, 3, 0.05);
  EXPECT_EQ(SkewOf(page.image()), 0);
}

TEST(PageSkew, KeepsAllOfThePage) {
  // Dots in the corners, on black outside.
  Image page(200, 100, 255);
  for (const int y : {0, 97}) {
    for (int row = y; row < y + 3; ++row) {
      for (const int x : {0, 197}) std::fill_n(page.row(row) + 3 * x, 9, uint8_t{100});
    }
  }
  for (const double slope : {-0.06, 0.06}) {
    const Image out = Straighten(page, slope, 0);
    EXPECT_EQ(out.width, 206);
    EXPECT_EQ(out.height, 112);
    int dots[2][2] = {};
    int num_outside = 0;
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) {
        const uint8_t value = out.row(y)[3 * x];
        if (value > 80 && value < 120)
          ++dots[y < out.height / 2 ? 0 : 1][x < out.width / 2 ? 0 : 1];
        num_outside += value == 0;
      }
    }
    for (const auto& row : dots) {
      for (const int dot : row) EXPECT_GE(dot, 4);
    }
    EXPECT_NEAR(num_outside, 206 * 112 - 200 * 100, 120);
  }
}

TEST(PageSkew, PutsBoxesBack) {
  // A dot at 30, 80 of a page of 200 x 100.
  Image page(200, 100, 255);
  for (int y = 78; y < 82; ++y) std::fill_n(page.row(y) + 3 * 28, 12, uint8_t{0});
  const Image out = Straighten(page, 0.05, 255);
  PixelBox dot = {out.width, out.height, 0, 0};
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x) {
      if (out.row(y)[3 * x] < 128) dot.Include({x, y, x + 1, y + 1});
    }
  }
  const auto box = BoxBeforeStraightening(
      {static_cast<double>(dot.x0) / out.width, static_cast<double>(dot.y0) / out.height,
       static_cast<double>(dot.x1) / out.width, static_cast<double>(dot.y1) / out.height},
      0.05, 200, 100);
  EXPECT_NEAR(200 * box[0], 28, 1.1);
  EXPECT_NEAR(100 * box[1], 78, 1.1);
  EXPECT_NEAR(200 * box[2], 32, 1.1);
  EXPECT_NEAR(100 * box[3], 82, 1.1);
  for (const double edge : BoxBeforeStraightening({0, 0, 1, 1}, 0.05, 200, 100)) {
    EXPECT_TRUE(edge == 0 || edge == 1) << edge;
  }
}

TEST(PageSkew, CanBeStopped) {
  EXPECT_THROW(
      Straighten(Image(20, 20), 0.02, 255, [] { throw Error(ErrorCode::kCancelled, "stop"); }),
      Error);
}

}  // namespace
}  // namespace octavo
