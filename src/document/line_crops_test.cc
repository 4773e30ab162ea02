#include "document/line_crops.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

WhitespaceLayout OneLine(int width, std::vector<WordGap> gaps) {
  LayoutLine line;
  line.box = {100, 50, 100 + width, 70};
  line.letter_height = 20;
  line.num_letters = 30;
  line.gaps = std::move(gaps);
  line.cells = {{line.box.x0, line.box.x1}};
  return {14, {line}, {}};
}

InkMap MapOf(int scale) {
  InkMap map;
  map.scale = scale;
  return map;
}

TEST(LineCrops, LeavesAShortLineWhole) {
  ModelCard card;
  card.line_height_px = 28;
  card.line_max_width_px = 560;
  const auto pieces = CutLines(OneLine(300, {{200, 210}}), card, 1000, 1000);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].box, (PixelBox{96, 48, 404, 72}));
}

TEST(LineCrops, CutsALongLineBetweenWords) {
  ModelCard card;
  card.line_height_px = 28;
  card.line_max_width_px = 560;
  std::vector<WordGap> gaps;
  for (int x = 150; x < 1000; x += 50) gaps.push_back({x, x + 6});
  const auto pieces = CutLines(OneLine(900, gaps), card, 2000, 1000);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].box.x1, pieces[1].box.x0);
  EXPECT_EQ(pieces[0].box.x1, 553);
  EXPECT_EQ(pieces[1].box.x1, 1004);
}

TEST(LineCrops, NeverCutsAWord) {
  ModelCard card;
  card.line_height_px = 28;
  card.line_max_width_px = 100;
  EXPECT_EQ(CutLines(OneLine(900, {}), card, 2000, 1000).size(), 1u);
}

TEST(LineCrops, CutsCellsApart) {
  WhitespaceLayout layout = OneLine(900, {{300, 700}});
  layout.lines[0].cells = {{100, 300}, {700, 1000}};
  const auto pieces = CutLines(layout, {}, 2000, 1000);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].box, (PixelBox{96, 48, 304, 72}));
  EXPECT_EQ(pieces[1].box, (PixelBox{696, 48, 1004, 72}));
  EXPECT_EQ(pieces[1].cell, 1u);
}

TEST(LineCrops, SkipsPicturesAndStaysOnThePage) {
  WhitespaceLayout layout = OneLine(300, {});
  layout.lines[0].box = {0, 0, 300, 20};
  layout.lines[0].cells = {{0, 300}};
  layout.lines.push_back(layout.lines[0]);
  layout.lines[1].is_picture = true;
  const auto pieces = CutLines(layout, {}, 300, 20);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].box, (PixelBox{0, 0, 300, 20}));
}

TEST(LineCrops, RescalesToTheCardsHeight) {
  ModelCard card;
  card.line_height_px = 28;
  const Image crop = CropOfLine(Image(500, 200), {0, 0, {10, 10, 210, 66}}, MapOf(1), card);
  EXPECT_EQ(crop.height, 28);
  EXPECT_EQ(crop.width, 100);
  const Image plain = CropOfLine(Image(500, 200), {0, 0, {10, 10, 110, 50}}, MapOf(2), {});
  EXPECT_EQ(plain.height, 80);
  EXPECT_EQ(plain.width, 200);
}

TEST(LineCrops, AddsPaperToShortPieces) {
  ModelCard card;
  card.line_height_px = 28;
  card.line_min_width_px = 224;
  Image page(300, 100, 180);
  for (int y = 20; y < 40; ++y) page.row(y)[60 * 3] = 0;
  const Image crop = CropOfLine(page, {0, 0, {50, 16, 78, 44}}, MapOf(1), card);
  EXPECT_EQ(crop.height, 28);
  ASSERT_EQ(crop.width, 224);
  EXPECT_EQ(crop.row(14)[223 * 3], 180);
  EXPECT_LT(crop.row(14)[10 * 3], 100);
  EXPECT_EQ(CropOfLine(page, {0, 0, {0, 0, 300, 28}}, MapOf(1), card).width, 300);
}

TEST(LineCrops, TurnsLightPrintOnDarkPaperDarkOnLight) {
  Image page(300, 100, 10);
  for (int y = 20; y < 40; ++y) page.row(y)[60 * 3] = 240;
  InkMap map = MapOf(1);
  const LinePiece piece = {0, 0, {50, 10, 110, 50}};
  EXPECT_EQ(CropOfLine(page, piece, map, {}).row(20)[0], 10);
  map.is_inverted = true;
  const Image crop = CropOfLine(page, piece, map, {});
  EXPECT_EQ(crop.row(20)[0], 245);
  EXPECT_EQ(crop.row(20)[10 * 3], 15);
}

TEST(LineCrops, CapsTokensByTheShape) {
  EXPECT_EQ(MaxTokensOfLine(Image(560, 28)), 32 + 120);
  EXPECT_EQ(MaxTokensOfLine(Image(28, 28)), 38);
}

}  // namespace
}  // namespace octavo
