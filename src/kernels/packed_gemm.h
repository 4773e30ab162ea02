// Operands of the products of packed 4- and 8-bit weights (tensor/group_layout.h) with activations
// that were quantised to 8 bits, and the exact meaning of both.
#ifndef OCTAVO_KERNELS_PACKED_GEMM_H_
#define OCTAVO_KERNELS_PACKED_GEMM_H_

#include <cstddef>
#include <cstdint>

namespace octavo {

inline constexpr int kGroupParts = 4;  // a group has up to 4 parts of 32 k
inline constexpr int kGroupPartK = 32;
inline constexpr int kActivationRange = 127;  // q is within +-127

// One row of activations over one group of k: x is about q * scale.
//
//   scale = max|x| / 127, q = x / scale rounded to nearest even, cut to +-127; both divisions in
//   f32. All q are 0 where scale is 0, and where a value is not finite; scale is NaN then.
//
// The rest is for tables whose products are summed in 16 bits; others may leave it zero. Such a sum
// holds half of every four k: lane 0 those with k % 4 in {0, 1}, lane 1 the others.
struct ActivationGroup {
  float scale;
  float sum;                               // of q, a whole number
  int16_t lane_sums[2];                    // of q
  int16_t part_lane_sums[kGroupParts][2];  // the same over each 32 k; 0 past the group
  uint16_t lane_magnitude;                 // the greater of the lanes' sums of |q|
  uint16_t unused;                         // 0
  // The root of the sum of q^2 over each 32 k of a lane, rounded up.
  uint16_t part_lane_norms[2][kGroupParts];
};

// Blocks of consecutive groups of one or more panels.
struct PackedGroups {
  const std::byte* data = nullptr;  // the first block; 64-byte aligned
  int64_t panel_stride = 0;         // bytes between panels
  int group_size = 128;
  bool bf16_scales = false;  // or f16
  bool is_7bit = false;      // see GroupLayout; kernels rely on it
};

// For r < rows, p < panels, c < 16, groups g in ascending order:
//   dot = sum over the group's k of (q_w - zero_w) * q_x          an exact integer
//   acc = fma(float(dot), scale_w * scale_x, acc)                 from 0, or from sums if
//   accumulate sums[p][r][c] = acc
// The same bits in every table, whatever rows and panels are computed together.
struct GemmPacked {
  const int8_t* x = nullptr;  // [rows][k], as quantize_row writes it
  int64_t x_row_stride = 0;
  const ActivationGroup* x_groups = nullptr;  // [rows][num_groups]
  int64_t x_groups_row_stride = 0;
  PackedGroups w;
  float* sums = nullptr;  // [rows][panels][16]
  int64_t sums_row_stride = 0;
  int64_t rows = 0;
  int64_t num_groups = 0;
  int64_t panels = 0;
  bool accumulate = false;
  std::byte* scratch = nullptr;  // kGemmPackedScratchBytes, 64-byte aligned
  // Tables that sum in 16 bits add here: pieces (one panel, one group, the rows of a tile), and
  // those of them whose sums might not have fit and took a slower way to the same result.
  int64_t* pieces = nullptr;
  int64_t* safe_pieces = nullptr;
};

inline constexpr size_t kGemmPackedScratchBytes = size_t{160} << 10;

}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_GEMM_H_
