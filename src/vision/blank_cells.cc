#include "vision/blank_cells.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/check.h"

namespace octavo {
namespace {

// Of pixels: the least and the most of each channel.
struct Range {
  std::array<uint8_t, 3> least = {255, 255, 255};
  std::array<uint8_t, 3> most = {0, 0, 0};

  void Include(const Range& other) {
    for (size_t c = 0; c < 3; ++c) {
      least[c] = std::min(least[c], other.least[c]);
      most[c] = std::max(most[c], other.most[c]);
    }
  }
  bool IsOfOneColour() const {
    for (size_t c = 0; c < 3; ++c) {
      if (most[c] - least[c] > kMaxBlankSpread) return false;
    }
    return true;
  }
};

Range RangeOfCell(const Image& image, int x, int y, int cell) {
  Range range;
  for (int row = y; row < y + cell; ++row) {
    const uint8_t* pixel = image.row(row) + static_cast<size_t>(x) * 3;
    for (int i = 0; i < cell; ++i, pixel += 3) {
      for (size_t c = 0; c < 3; ++c) {
        range.least[c] = std::min(range.least[c], pixel[c]);
        range.most[c] = std::max(range.most[c], pixel[c]);
      }
    }
  }
  return range;
}

// Of the cell in row r and column c and its neighbours; ranges [rows][cols].
Range RangeAround(const std::vector<Range>& ranges, int rows, int cols, int r, int c) {
  Range around;
  for (int y = std::max(0, r - 1); y <= std::min(rows - 1, r + 1); ++y) {
    for (int x = std::max(0, c - 1); x <= std::min(cols - 1, c + 1); ++x) {
      around.Include(
          ranges[static_cast<size_t>(y) * static_cast<size_t>(cols) + static_cast<size_t>(x)]);
    }
  }
  return around;
}

}  // namespace

std::vector<int32_t> CellsWithInk(const Image& image, int cell) {
  OCTAVO_CHECK(cell >= 1 && !image.empty() && image.width % cell == 0 && image.height % cell == 0,
               image.width, "x", image.height, " in cells of ", cell);
  const int rows = image.height / cell;
  const int cols = image.width / cell;
  std::vector<Range> ranges;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) ranges.push_back(RangeOfCell(image, c * cell, r * cell, cell));
  }
  std::vector<int32_t> cells;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      if (!RangeAround(ranges, rows, cols, r, c).IsOfOneColour()) cells.push_back(r * cols + c);
    }
  }
  if (cells.empty()) cells.push_back(0);
  return cells;
}

}  // namespace octavo
