// How much a crop may be reduced before its lines are lower than wanted.
#ifndef OCTAVO_DOCUMENT_LINE_SCALE_H_
#define OCTAVO_DOCUMENT_LINE_SCALE_H_

#include <array>

#include "document/ink_components.h"
#include "document/ink_map.h"

namespace octavo {

// The factor, at most 1, that makes lines of print in the box (fractions of the page) about
// `line_height` pixels high, ascenders and descenders included: from the height of four letters of
// five there. 1 where that is not known (few letters) or would save little. angle: as a block has
// it, 0, 90, 180 or 270. REQUIRES: line_height >= 1.
double ScaleForLineHeight(const InkMap& map, const PageInk& ink, const std::array<double, 4>& bbox,
                          int angle, int line_height);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LINE_SCALE_H_
