// Operands of the products of packed 4- and 8-bit weights (tensor/group_layout.h) with activations
// that were quantised to 8 bits, or to 16, and the exact meaning of both.
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

// 16 bits: q is within +-32767, scale = max|x| / 32767, else the same rule. No sum over a group of
// up to 128 k can pass 32 bits, whatever the weights, so a group's record is its scale alone.
inline constexpr int kActivation16Range = 32767;
static_assert(int64_t{128} * 255 * kActivation16Range < int64_t{1} << 31);

// Rows of 16 bits keep every four k as 0, 2, 1, 3: packed bytes taken by 16 bits are such pairs.
// Always inlined: no copy compiled with one table's flags is left for the linker to choose.
constexpr inline __attribute__((always_inline)) int Activation16Place(int k) {
  return (k & ~3) | (k & 1) << 1 | (k & 2) >> 1;
}

// Blocks of consecutive groups of one or more panels.
struct PackedGroups {
  const std::byte* data = nullptr;  // the first block; 64-byte aligned
  int64_t panel_stride = 0;         // bytes between panels
  int group_size = 128;
  bool bf16_scales = false;  // or f16
  bool is_7bit = false;      // see GroupLayout; kernels rely on it
};

// For r < rows, p < panels, c < 16, groups g in ascending order:
//   dot = sum over the group's k of (q_w - zero_w) * q_x   an exact integer
//   acc = fma(float(dot), scale_w * scale_x, acc)          from 0, or from sums to accumulate
//   sums[r][p][c] = acc
// The same bits in every table, whatever rows and panels are computed together.
template <typename X, typename XGroup>
struct PackedProduct {
  const X* x = nullptr;  // [rows][k], as quantize_row writes it
  int64_t x_row_stride = 0;
  const XGroup* x_groups = nullptr;  // [rows][num_groups]
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

using GemmPacked = PackedProduct<int8_t, ActivationGroup>;
using GemmPackedA16 = PackedProduct<int16_t, float>;

// The slots of activations of 16 bits; k and group_size as for 8 bits.
struct PackedA16Kernels {
  // q has k numbers at Activation16Place, scales k / group_size.
  void (*quantize_row)(const float* x, int64_t k, int group_size, int16_t* q,
                       float* scales) = nullptr;
  void (*gemm_w4)(const GemmPackedA16&) = nullptr;
  void (*gemm_w8)(const GemmPackedA16&) = nullptr;
};

inline constexpr size_t kGemmPackedScratchBytes = size_t{160} << 10;

}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_GEMM_H_
