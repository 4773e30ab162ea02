// How a count is cut into parts of about the same size.
#ifndef OCTAVO_OPS_EVEN_PARTS_H_
#define OCTAVO_OPS_EVEN_PARTS_H_

#include <algorithm>
#include <cstdint>

namespace octavo::ops {

// Parts of `size` that cover `count`.
inline int64_t NumParts(int64_t count, int64_t size) { return (count + size - 1) / size; }

// The size of even parts of at most `most`, each a multiple of `unit` but the last.
// REQUIRES: most is a multiple of unit; count > 0.
inline int64_t EvenPart(int64_t count, int64_t most, int64_t unit) {
  const int64_t part = NumParts(count, NumParts(count, most));
  return std::min(most, NumParts(part, unit) * unit);
}

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_EVEN_PARTS_H_
