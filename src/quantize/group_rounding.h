// One group of weights rounded to 4 or 8 bits: its scale and zero, the numbers that it has, and
// what they stand for.
#ifndef OCTAVO_QUANTIZE_GROUP_ROUNDING_H_
#define OCTAVO_QUANTIZE_GROUP_ROUNDING_H_

#include <cstdint>

#include "tensor/group_layout.h"

namespace octavo {

// How the weights of one group become numbers: q = rint(w / scale) + zero within [least, most], as
// in w' = (q - zero) * scale.
struct GroupRange {
  uint16_t scale_bits = 0;  // of the layout's scale_dtype
  float scale = 0;          // what they stand for; not finite: too large for the dtype
  int zero = 0;
  int least = 0;
  int most = 0;
};

//   4 bits         zero between: lo = min(0, min w), hi = max(0, max w); scale = (hi - lo) / 15,
//                  zero = rint(-lo / scale)
//   8 bits, +-63   symmetric: scale = max |w| / 63, zero in the middle
// Scales are rounded to the scale_dtype before anything is divided by them; ties go to the even
// one. REQUIRES: every weight is finite; 8 bits only with is_7bit.
GroupRange FindGroupRange(const GroupLayout& layout, const float* w, int size) noexcept;

// The number of each weight, those beyond the range to its end; a scale of 0 gives zeros.
// REQUIRES: the scale is finite.
void RoundGroup(const GroupRange& range, const float* w, int size, uint8_t* q) noexcept;

// What those numbers stand for, as GroupWeight says it; w may be `rounded`.
void RoundGroupToFloats(const GroupRange& range, const float* w, int size, float* rounded) noexcept;

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_GROUP_ROUNDING_H_
