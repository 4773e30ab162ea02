#include "document/ink_map.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "testing/printed_page.h"

namespace octavo {
namespace {

int CountInk(const InkMap& map, int x0, int y0, int x1, int y1) {
  int count = 0;
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) count += map.row(y)[x];
  }
  return count;
}

TEST(InkMap, MarksExactlyThePrintOfACleanPage) {
  PrintedPage page(400, 300);
  page.Fill(100, 100, 110, 130, 0);
  const InkMap map = FindInk(page.image());
  EXPECT_EQ(CountInk(map, 0, 0, 400, 300), 300);
  EXPECT_EQ(CountInk(map, 100, 100, 110, 130), 300);
}

TEST(InkMap, FindsNoInkOnBlankPages) {
  for (const uint8_t paper : {255, 128, 0}) {
    EXPECT_EQ(InkDensity(FindInk(Image(300, 200, paper))), 0) << int{paper};
  }
}

TEST(InkMap, FindsFaintPrintOnAGreyScanWithAShadow) {
  PrintedPage page(640, 480, 255, 0);
  page.Line(60, 580, 200);
  Image& image = page.image();
  Random random(1);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width * 3; ++x) {
      uint8_t& value = image.row(y)[x];
      // Paper from 220 down to 150 in the fold, print 70 darker, noise of 8 levels.
      const int paper = 220 - 70 * (x / 3) / image.width;
      const int print = value == 0 ? 70 : 0;
      value = static_cast<uint8_t>(paper - print - static_cast<int>(random.Below(8)));
    }
  }
  const InkMap map = FindInk(image);
  PrintedPage clean(640, 480, 255, 0);
  clean.Line(60, 580, 200);
  const InkMap truth = FindInk(clean.image());
  int64_t wrong = 0;
  for (size_t i = 0; i < map.ink.size(); ++i) wrong += map.ink[i] != truth.ink[i] ? 1 : 0;
  EXPECT_LT(wrong, 20);
  EXPECT_GT(InkDensity(truth), 0.005);
}

TEST(InkMap, ReadsLightPrintOnDarkPaper) {
  PrintedPage page(400, 300, 15, 240);
  page.Fill(100, 100, 110, 130, 240);
  EXPECT_EQ(CountInk(FindInk(page.image()), 0, 0, 400, 300), 300);
}

TEST(InkMap, TakesADarkPanelAsInk) {
  PrintedPage page(800, 800);
  page.Fill(200, 200, 600, 600, 60);
  EXPECT_GT(CountInk(FindInk(page.image()), 200, 200, 600, 600), 150000);
}

TEST(InkMap, ReducesHugePages) {
  const InkMap map = FindInk(Image(9000, 5000));
  EXPECT_EQ(map.scale, 2);
  EXPECT_EQ(map.width, 4500);
}

TEST(InkMap, MeasuresTheShareOfInkInBoxes) {
  PrintedPage page(200, 200);
  page.Fill(20, 20, 40, 40, 0);
  page.Fill(120, 120, 140, 180, 0);
  const InkMap map = FindInk(page.image());
  EXPECT_NEAR(InkShareInBoxes(map, {{0, 0, 0.5, 0.5}}), 0.25, 1e-9);
  EXPECT_NEAR(InkShareInBoxes(map, {{0, 0, 0.5, 0.5}, {0, 0, 1, 1}}), 1.0, 1e-9);
  EXPECT_EQ(InkShareInBoxes(map, {}), 0);
}

}  // namespace
}  // namespace octavo
