// Connected pieces of ink and what they are: letters, rules, pictures, dirt.
#ifndef OCTAVO_DOCUMENT_INK_COMPONENTS_H_
#define OCTAVO_DOCUMENT_INK_COMPONENTS_H_

#include <cstdint>
#include <vector>

#include "document/ink_map.h"

namespace octavo {

// Half-open rectangle in map pixels.
struct PixelBox {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;

  int width() const { return x1 - x0; }
  int height() const { return y1 - y0; }
  void Include(const PixelBox& other);
  bool operator==(const PixelBox&) const = default;
};

// One 8-connected piece of ink.
struct InkComponent {
  PixelBox box;
  int num_pixels = 0;  // of the map, which has at most 16 million
  int num_runs = 0;    // horizontal runs; num_pixels / num_runs is the mean stroke width

  double stroke_width() const {
    return static_cast<double>(num_pixels) / static_cast<double>(num_runs);
  }
};

// In order of their first pixel, row by row.
std::vector<InkComponent> FindComponents(const InkMap& map);

// The printed things of a page.
struct PageInk {
  int unit = 0;  // median height of a letter, map pixels; 0: no letters
  std::vector<InkComponent> letters;
  std::vector<PixelBox> pictures;  // photographs, drawings, panels; disjoint
  std::vector<PixelBox> rules;     // straight lines, frames, grids of tables; none in pictures
};

// Drops dirt (a few pixels); gathers what is too large for letters into pictures, unless it stands
// in a row as they do (letter_rows.h), and what is long and thin into rules. Frames around drawings
// (drawings.h) are pictures with all that is in them, other frames rules.
PageInk SortComponents(const InkMap& map);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_INK_COMPONENTS_H_
