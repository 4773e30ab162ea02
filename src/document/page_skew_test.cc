#include "document/page_skew.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "document/ink_map.h"
#include "octavo/error.h"
#include "testing/printed_page.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

double SkewOf(const Image& image) { return FindPageSkew(SortComponents(FindInk(image))); }

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
      EXPECT_NEAR(SkewOf(Straighten(page, -slope)), slope, 0.0015) << name;
    }
  }
}

TEST(PageSkew, IsCarefulWhereLettersDoNotSay) {
  EXPECT_EQ(FindPageSkew(PageInk()), 0);
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
  EXPECT_EQ(FindPageSkew(ink), 0);
}

TEST(PageSkew, KeepsAllOfThePage) {
  Image page(200, 100, 255);
  for (const int y : {0, 99}) {
    for (const int x : {0, 199}) std::fill_n(page.row(y) + 3 * x, 3, uint8_t{0});
  }
  for (const double slope : {-0.06, 0.06}) {
    const Image out = Straighten(page, slope);
    EXPECT_EQ(out.width, 206);
    EXPECT_EQ(out.height, 112);
    int num_dark = 0;
    for (size_t i = 0; i < out.pixels.size(); i += 3) num_dark += out.pixels[i] < 200;
    EXPECT_GE(num_dark, 4);
  }
}

TEST(PageSkew, PutsBoxesBack) {
  // A dot at 30, 80 of a page of 200 x 100.
  Image page(200, 100, 255);
  for (int y = 78; y < 82; ++y) std::fill_n(page.row(y) + 3 * 28, 12, uint8_t{0});
  const Image out = Straighten(page, 0.05);
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
  EXPECT_THROW(Straighten(Image(20, 20), 0.02, [] { throw Error(ErrorCode::kCancelled, "stop"); }),
               Error);
}

}  // namespace
}  // namespace octavo
