// Does a page stand a little askew, as scans do? For reading by white space, which cuts along
// straight lines: models that were trained for layout see it themselves.
#ifndef OCTAVO_DOCUMENT_PAGE_SKEW_H_
#define OCTAVO_DOCUMENT_PAGE_SKEW_H_

#include <array>
#include <cstdint>

#include "document/ink_components.h"
#include "vision/image.h"

namespace octavo {

// Pixels down for each pixel to the right along the lines of an upright page, -0.06 to 0.06 (3.4
// degrees). 0 where they are straight within 0.3 degrees, where the letters do not say it clearly,
// and on strips that would become half as large again (their lines are short). width, height: of
// the map.
double FindPageSkew(const PageInk& ink, int width, int height);

// The page turned about its middle, so that lines of this slope are level. Larger than the page by
// what its corners need, filled with the grey of `paper`; between pixels linear. Throws what
// `check` throws. REQUIRES: a non-empty page.
Image Straighten(const Image& page, double slope, uint8_t paper, const StopCheck& check = {});

// The box (fractions) on a page of width x height pixels that holds a box (fractions) of the page
// that Straighten made of it.
std::array<double, 4> BoxBeforeStraightening(const std::array<double, 4>& box, double slope,
                                             int width, int height);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PAGE_SKEW_H_
