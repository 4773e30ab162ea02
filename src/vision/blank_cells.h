// Which merge cells of a picture hold something: the others need not be encoded.
#ifndef OCTAVO_VISION_BLANK_CELLS_H_
#define OCTAVO_VISION_BLANK_CELLS_H_

#include <cstdint>
#include <vector>

#include "vision/image.h"

namespace octavo {

// Of 255, in each channel: what pixels of one colour differ by at most. Under it is the noise of a
// good scan, over it the palest print on white paper.
inline constexpr int kMaxBlankSpread = 16;

// Numbers of the cells of `cell` x `cell` pixels, row by row, that are left when those are dropped
// that are, with their up to eight neighbours, of one colour: what stands out keeps a cell of paper
// around it. Ascending; never empty: of a picture of one colour the first cell is left.
// REQUIRES: cell >= 1; a non-empty image, both sides multiples of it.
std::vector<int32_t> CellsWithInk(const Image& image, int cell);

}  // namespace octavo

#endif  // OCTAVO_VISION_BLANK_CELLS_H_
