// Which way up is a page? From its letters alone, for reading by white space: models that were
// trained for layout say it block by block.
#ifndef OCTAVO_DOCUMENT_PAGE_TURN_H_
#define OCTAVO_DOCUMENT_PAGE_TURN_H_

#include <array>

#include "document/ink_components.h"

namespace octavo {

// 0, 90, 180 or 270: turned counter-clockwise by so many degrees the page is upright (as
// ContentBlock::angle). 0 where the letters do not say it clearly: few of them, or of a script
// whose letters reach as far below the line as above it (Chinese, capitals, figures).
int FindPageTurn(const PageInk& ink);

// A box of the upright page (fractions) in the frame of the page as it was. REQUIRES: an angle as
// above.
std::array<double, 4> BoxBeforeTurn(const std::array<double, 4>& box, int angle);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PAGE_TURN_H_
