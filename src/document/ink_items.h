// Letters and pictures as boxes to be arranged, and the blank space between them.
#ifndef OCTAVO_DOCUMENT_INK_ITEMS_H_
#define OCTAVO_DOCUMENT_INK_ITEMS_H_

#include <cstdint>
#include <vector>

#include "document/ink_components.h"

namespace octavo {

struct InkItem {
  PixelBox box;
  bool is_picture = false;
  int64_t num_pixels = 0;
  int64_t num_runs = 1;
};
using InkItems = std::vector<InkItem>;

// Half-open stretch of columns.
struct Stretch {
  int x0 = 0;
  int x1 = 0;
  int width() const { return x1 - x0; }
};

// Around all items. REQUIRES: !items.empty().
PixelBox BoxOf(const InkItems& items);

// The upper of the two middle ones of an even number. REQUIRES: !items.empty().
int MedianHeight(const InkItems& items);

// 0 for no values; the upper of the two middle ones of an even number.
double Median(std::vector<double> values);

// Blank stretches of at least min_width columns between the items, from left to right; with
// `with_margins` also those to both sides, which count as endless.
std::vector<Stretch> BlankStretches(const InkItems& items, int min_width, bool with_margins);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_INK_ITEMS_H_
