// Text lines of a page in reading order, found by white space alone: a recursive XY cut.
//
// A region is cut at its blank rows into strips. Neighbouring strips that share a blank column
// with text on both sides form columns, which are read one after the other; everything else is read
// from top to bottom. Strips that do not come apart (skewed or touching lines) are chained letter
// by letter. No model takes part.
#ifndef OCTAVO_DOCUMENT_WHITESPACE_LAYOUT_H_
#define OCTAVO_DOCUMENT_WHITESPACE_LAYOUT_H_

#include <vector>

#include "document/ink_components.h"
#include "document/layout_line.h"

namespace octavo {

struct WhitespaceLayout {
  int unit = 0;  // median letter height, map pixels
  std::vector<LayoutLine> lines;
  std::vector<PixelBox> rules;  // as in PageInk
};

WhitespaceLayout FindLines(const PageInk& page);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_WHITESPACE_LAYOUT_H_
