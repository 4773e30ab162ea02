// One line of print: its measures, its gaps, its cells.
#ifndef OCTAVO_DOCUMENT_LAYOUT_LINE_H_
#define OCTAVO_DOCUMENT_LAYOUT_LINE_H_

#include <vector>

#include "document/ink_components.h"
#include "document/ink_items.h"

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
  double body_height = 0;    // median: small letters
  double baseline = 0;       // y below most letters; 0: not measured
  double stroke_width = 0;
  std::vector<WordGap> gaps;  // from left to right
  // Parts that stand wider apart than words do, without dot leaders; one of a line of running text.
  // From left to right; none if there are only leaders.
  std::vector<Cell> cells;
  bool is_row = false;      // cells so far apart that the line is no running text
  bool has_bullet = false;  // a disc or dash before the first cell, which begins behind it
  // Raised and lowered letters, parts of fractions, signs far higher than the letters: what
  // formulas have. Some marks of text (percent, quotes of typewriters) are raised, too.
  int num_scripts = 0;
  int num_equals = 0;  // signs of equality: two dashes of one width, one above the other
};

// The line of these letters. `rules`: of the page; in a frame and between two rules of one width,
// cells may stand closer.
// REQUIRES: !letters.empty(), no pictures among them.
LayoutLine MakeLine(const InkItems& letters, int column, const std::vector<PixelBox>& rules);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LAYOUT_LINE_H_
