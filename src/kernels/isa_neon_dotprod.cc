// Slots that arm64's dot products add (sdot by lane): packed weights by 8-bit activations.
//
// A quarter of a line is 4 columns by 4 k, the operand of one sdot; sums have 32 bits and need no
// care. Up to four rows pass a block at once: 16 sums, 4 weights, 4 activations.
#include <arm_neon.h>

#include "kernels/isa_tables.h"
#include "kernels/vec_neon.h"
// Needs the vocabulary above.
#include "kernels/packed-inl.h"

namespace octavo {
namespace {

constexpr int kQuarters = 4;
constexpr int64_t kTileRows = 4;
// Groups of a panel that stay in the nearest cache while rows pass by.
constexpr int64_t kBlockGroups = 10;
constexpr int64_t kPrefetchAhead = 2048;

template <int kRows>
using Sums = int32x4_t[kRows][kQuarters];

OCTAVO_INLINE int8x16_t LoadLine(const std::byte* line, int quarter) {
  return vld1q_s8(reinterpret_cast<const int8_t*>(line) + 16 * quarter);
}

// Four k of all columns: sdot with one lane of the rows' activations.
template <int kLane, int kRows>
OCTAVO_INLINE void AddDots(const int8x16_t (&w)[kQuarters], const int8x16_t (&x)[kRows],
                           Sums<kRows>& sums) {
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < kQuarters; ++j) {
      sums[r][j] = vdotq_laneq_s32(sums[r][j], w[j], x[r], kLane);
    }
  }
}

// A line of 4-bit weights: 8 k, from lane kLane of the activations on.
template <int kLane, int kRows>
OCTAVO_INLINE void AddLine4(const std::byte* line, const int8x16_t (&x)[kRows], Sums<kRows>& sums) {
  int8x16_t low[kQuarters], high[kQuarters];
#pragma GCC unroll 4
  for (int j = 0; j < kQuarters; ++j) {
    const uint8x16_t both = vreinterpretq_u8_s8(LoadLine(line, j));
    low[j] = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
    high[j] = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
  }
  AddDots<kLane, kRows>(low, x, sums);
  AddDots<kLane + 1, kRows>(high, x, sums);
}

// A line of 8-bit weights: 4 k.
template <int kLane, int kRows>
OCTAVO_INLINE void AddLine8(const std::byte* line, const int8x16_t (&x)[kRows], Sums<kRows>& sums) {
  int8x16_t w[kQuarters];
#pragma GCC unroll 4
  for (int j = 0; j < kQuarters; ++j) w[j] = LoadLine(line, j);
  AddDots<kLane, kRows>(w, x, sums);
}

// 16 k; returns the next line.
template <int kBits, int kRows>
OCTAVO_INLINE const std::byte* Add16(const std::byte* line, const int8x16_t (&x)[kRows],
                                     Sums<kRows>& sums) {
  __builtin_prefetch(line + kPrefetchAhead);
  __builtin_prefetch(line + kPrefetchAhead + kGroupLineBytes);
  if constexpr (kBits == 4) {
    AddLine4<0, kRows>(line, x, sums);
    AddLine4<2, kRows>(line + kGroupLineBytes, x, sums);
    return line + 2 * kGroupLineBytes;
  } else {
    AddLine8<0, kRows>(line, x, sums);
    AddLine8<1, kRows>(line + kGroupLineBytes, x, sums);
    AddLine8<2, kRows>(line + 2 * kGroupLineBytes, x, sums);
    AddLine8<3, kRows>(line + 3 * kGroupLineBytes, x, sums);
    return line + 4 * kGroupLineBytes;
  }
}

// One block by kRows rows, added to out.
template <int kBits, int kRows>
OCTAVO_INLINE void AddBlockOfRows(const GemmPacked& g, const std::byte* block, int64_t row,
                                  int64_t group, float* out) {
  Sums<kRows> sums = {};
  const int8_t* x = g.x + row * g.x_row_stride + group * g.w.group_size;
  const std::byte* line = block;
  for (int i = 0; i < g.w.group_size; i += 16) {
    int8x16_t rows[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) rows[r] = vld1q_s8(x + r * g.x_row_stride + i);
    line = Add16<kBits, kRows>(line, rows, sums);
  }
  SideLine side;
  ReadSideLine<kBits>(line, g.w.bf16_scales, &side);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const ActivationGroup& known = g.x_groups[(row + r) * g.x_groups_row_stride + group];
    const auto sum = static_cast<int32_t>(known.sum);
    float* to = out + r * g.sums_row_stride;
#pragma GCC unroll 4
    for (int j = 0; j < kQuarters; ++j) {
      const int32x4_t dot = vmlsq_n_s32(sums[r][j], vld1q_s32(side.zero + 4 * j), sum);
      const float32x4_t scale = vmulq_n_f32(vld1q_f32(side.scale + 4 * j), known.scale);
      vst1q_f32(to + 4 * j, vfmaq_f32(vld1q_f32(to + 4 * j), vcvtq_f32_s32(dot), scale));
    }
  }
}

// One panel, some groups, all rows.
template <int kBits>
void RunGroups(const GemmPacked& g, int64_t panel, int64_t begin, int64_t end) {
  const int64_t block_bytes = SideOffset<kBits>(g.w.group_size) + kGroupSideBytes;
  const std::byte* blocks = g.w.data + panel * g.w.panel_stride;
  for (int64_t row = 0; row < g.rows; row += kTileRows) {
    float* out = g.sums + row * g.sums_row_stride + panel * kPanelColumns;
    for (int64_t group = begin; group < end; ++group) {
      const std::byte* block = blocks + group * block_bytes;
      switch (g.rows - row) {
        case 1:
          AddBlockOfRows<kBits, 1>(g, block, row, group, out);
          break;
        case 2:
          AddBlockOfRows<kBits, 2>(g, block, row, group, out);
          break;
        case 3:
          AddBlockOfRows<kBits, 3>(g, block, row, group, out);
          break;
        default:
          AddBlockOfRows<kBits, 4>(g, block, row, group, out);
          break;
      }
    }
  }
}

template <int kBits>
void GemmPackedDot(const GemmPacked& g) {
  if (!g.accumulate) ZeroSums(g);
  for (int64_t panel = 0; panel < g.panels; ++panel) {
    for (int64_t begin = 0; begin < g.num_groups; begin += kBlockGroups) {
      const int64_t left = g.num_groups - begin;
      RunGroups<kBits>(g, panel, begin, begin + (left < kBlockGroups ? left : kBlockGroups));
    }
  }
}

#define SDOT_CHAIN(i) "sdot v" #i ".4s, v30.16b, v31.16b\n\t"

// Sixteen chains: enough for two units of latency four.
void PeakSdot(int64_t iterations) {
  if (iterations <= 0) return;
  asm volatile(
      "movi v30.4s, #0\n\t"
      "movi v31.4s, #0\n\t"
      "1:\n\t"  // clang-format off
      SDOT_CHAIN(0) SDOT_CHAIN(1) SDOT_CHAIN(2) SDOT_CHAIN(3) SDOT_CHAIN(4) SDOT_CHAIN(5)
      SDOT_CHAIN(6) SDOT_CHAIN(7) SDOT_CHAIN(16) SDOT_CHAIN(17) SDOT_CHAIN(18) SDOT_CHAIN(19)
      SDOT_CHAIN(20) SDOT_CHAIN(21) SDOT_CHAIN(22) SDOT_CHAIN(23)  // clang-format on
      "subs %0, %0, #1\n\t"
      "b.ne 1b\n\t"
      : "+r"(iterations)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v30", "v31", "cc");
}

constexpr KernelTable Slots() {
  KernelTable t{};
  t.name = "neon";
  t.overrides = "dotprod";
  t.gemm_w4a8 = GemmPackedDot<4>;
  t.gemm_w8a8 = GemmPackedDot<8>;
  t.peak_int8_dot = {PeakSdot, 16 * 32};
  return t;
}

}  // namespace

constexpr KernelTable kNeonDotprodSlots = Slots();

}  // namespace octavo
