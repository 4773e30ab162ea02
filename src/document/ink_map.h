// Which pixels of a page are ink: a local background, one threshold.
#ifndef OCTAVO_DOCUMENT_INK_MAP_H_
#define OCTAVO_DOCUMENT_INK_MAP_H_

#include <array>
#include <cstdint>
#include <vector>

#include "vision/image.h"

namespace octavo {

// ink: [height, width] u8, 1 where the page is printed. Pages over 16 megapixels are reduced by a
// whole factor: one map pixel is `scale` x `scale` page pixels.
struct InkMap {
  int width = 0;
  int height = 0;
  int scale = 1;
  bool is_inverted = false;  // light print on dark paper
  std::vector<uint8_t> ink;

  const uint8_t* row(int y) const {
    return ink.data() + static_cast<size_t>(y) * static_cast<size_t>(width);
  }
};

// Works on uneven grey scans, on coloured paper and on light print on dark paper. Dark areas larger
// than some 100 pixels (photographs, panels) are ink all over. A page without contrast has no ink.
// REQUIRES: a non-empty image.
InkMap FindInk(const Image& page);

// Share of the map's ink that lies in at least one of the boxes (fractions of the page), 0 to 1;
// 1 if there is no ink.
double InkShareInBoxes(const InkMap& map, const std::vector<std::array<double, 4>>& boxes);

// Share of the map that is ink, 0 to 1.
double InkDensity(const InkMap& map);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_INK_MAP_H_
