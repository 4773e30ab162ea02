// Rounding a float matrix to groups of 4 or 8 bits, each weight to the nearest that its group has.
#ifndef OCTAVO_QUANTIZE_ROUND_TO_NEAREST_H_
#define OCTAVO_QUANTIZE_ROUND_TO_NEAREST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "tensor/packed_layout.h"
#include "tensor/tensor.h"

namespace octavo {

// What rounding did to a matrix.
struct RoundingError {
  double squares = 0;         // sum of (w' - w)^2
  double weight_squares = 0;  // sum of w^2
  double max_abs = 0;         // largest |w' - w|
  // One of these false: the rest says nothing, and the matrix must not be used.
  bool is_finite = true;    // no NaN and no infinity among w
  bool is_in_range = true;  // every scale has a finite scale_dtype

  // Root of squares / weight_squares; 0 for a matrix of zeros.
  double Relative() const;
};

// weight: [N, K] (any rank that flattens to it) of F32, F16 or BF16; out: PackedBytes(layout).
//   4 bits         zero between: lo = min(0, min w), hi = max(0, max w); scale = (hi - lo) / 15,
//                  zero = rint(-lo / scale)
//   8 bits, +-63   symmetric: scale = max |w| / 63, zero in the middle
// Scales are rounded to the layout's scale_dtype before numbers are divided by them, ties go to the
// even one, numbers beyond the range to its end. The result does not depend on the threads.
// REQUIRES: layout is quantised and valid; 8 bits only with is_7bit.
// Sums of the error are taken in a fixed order.
RoundingError RoundToNearest(const PackedLayout& layout, const TensorView& weight, ThreadPool* pool,
                             std::byte* out);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_ROUND_TO_NEAREST_H_
