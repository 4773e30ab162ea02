#include "vision/blank_cells.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

using Cells = std::vector<int32_t>;

void Set(Image* image, int x, int y, size_t channel, uint8_t value) {
  image->row(y)[static_cast<size_t>(x) * 3 + channel] = value;
}

TEST(BlankCells, APixelKeepsItsCellAndTheEightAroundIt) {
  Image image(6 * 8, 5 * 8);
  Set(&image, 3 * 8, 2 * 8 + 7, 1, 0);  // cell (2, 3), its lower left pixel, green only
  EXPECT_EQ(CellsWithInk(image, 8), (Cells{8, 9, 10, 14, 15, 16, 20, 21, 22}));
}

TEST(BlankCells, AtTheBorderThereAreFewer) {
  Image image(4 * 4, 3 * 4);
  Set(&image, 0, 0, 0, 0);
  EXPECT_EQ(CellsWithInk(image, 4), (Cells{0, 1, 4, 5}));
  Image other(4 * 4, 3 * 4);
  Set(&other, 15, 11, 2, 0);
  EXPECT_EQ(CellsWithInk(other, 4), (Cells{6, 7, 10, 11}));
}

TEST(BlankCells, OfOneColourOnlyTheFirstIsLeft) {
  EXPECT_EQ(CellsWithInk(Image(28, 56, 255), 28), (Cells{0}));
  EXPECT_EQ(CellsWithInk(Image(28, 56, 13), 28), (Cells{0}));
}

TEST(BlankCells, NoiseIsNoInkAndPalePrintIs) {
  for (const int spread : {kMaxBlankSpread, kMaxBlankSpread + 1}) {
    Image image(5 * 4, 4);
    Set(&image, 17, 2, 0, static_cast<uint8_t>(255 - spread));
    EXPECT_EQ(CellsWithInk(image, 4), spread == kMaxBlankSpread ? (Cells{0}) : (Cells{3, 4}))
        << spread;
  }
}

TEST(BlankCells, AnEdgeBetweenTwoCellsIsKept) {
  // White beside black, each cell for itself of one colour.
  Image image(6 * 4, 4);
  for (int y = 0; y < 4; ++y) {
    for (int x = 12; x < 24; ++x) {
      for (size_t c = 0; c < 3; ++c) Set(&image, x, y, c, 0);
    }
  }
  EXPECT_EQ(CellsWithInk(image, 4), (Cells{2, 3}));
}

}  // namespace
}  // namespace octavo
