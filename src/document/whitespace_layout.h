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

namespace octavo {

// A blank stretch inside a line, wide enough to part two words.
struct WordGap {
  int x0 = 0;
  int x1 = 0;
};

// A stretch of columns, half-open.
struct Cell {
  int x0 = 0;
  int x1 = 0;
};

// A line of text, or a picture. Boxes are in map pixels, tight around the ink.
struct LayoutLine {
  PixelBox box;
  bool is_picture = false;
  int column = 0;  // lines with the same number follow each other in one column
  int num_letters = 0;
  double letter_height = 0;  // 90th percentile: capitals and ascenders
  double stroke_width = 0;
  std::vector<WordGap> gaps;  // from left to right
  // Parts that stand wider apart than words do; one of a line of running text. From left to right.
  std::vector<Cell> cells;
  bool is_row = false;      // cells so far apart that the line is no running text
  bool has_bullet = false;  // a disc or dash before the first cell, which begins behind it
};

struct WhitespaceLayout {
  int unit = 0;  // median letter height, map pixels
  std::vector<LayoutLine> lines;
  std::vector<PixelBox> rules;  // as in PageInk
};

WhitespaceLayout FindLines(const PageInk& page);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_WHITESPACE_LAYOUT_H_
