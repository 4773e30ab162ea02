// Register tiles of the matrix products, over the Vec vocabulary. Include a vec_*.h first.
//
// A tile keeps kRows x kPanels x 16 sums in registers and walks k once. All tiles form each sum in
// the same order, so which tile computes an element does not show in its bits.
#ifndef OCTAVO_KERNELS_GEMM_INL_H_
#define OCTAVO_KERNELS_GEMM_INL_H_

#include "kernels/kernel_table.h"

namespace octavo {
namespace {

constexpr int kPanelVecs = kPanelColumns / kLanes;

constexpr int kTileRows = 6;

// Bytes ahead of use at which streamed weights are fetched: far enough for memory latency at full
// speed, inside the next page or two.
constexpr int kPrefetchBytes = 4096;

// Panels that a tile of `rows` rows takes at once.
constexpr int PanelsForRows(int rows) {
  const int panels = kAccumulators / (rows * kPanelVecs);
  return panels >= 4 ? 4 : panels >= 2 ? 2 : 1;
}

// How a tile reads its operands and multiplies them: kStep values of k in kParts parts.
struct ReadF32 {
  using X = float;
  using W = float;
  using Operand = Vec;
  static constexpr int kStep = 1;
  static constexpr int kParts = 1;
  static constexpr bool kStream = false;
  static OCTAVO_INLINE Vec Columns(const float* w, int vec, int) { return Load(w + vec * kLanes); }
  static OCTAVO_INLINE Vec Value(const float* x) { return Set(*x); }
  static OCTAVO_INLINE Vec MultiplyAdd(Vec x, Vec w, Vec sum) { return Fma(x, w, sum); }
};
struct StreamF32 : ReadF32 {
  static constexpr bool kStream = true;
};
struct ReadF16 : ReadF32 {
  using W = uint16_t;
  static OCTAVO_INLINE Vec Columns(const uint16_t* w, int vec, int) {
    return WidenF16(w + vec * kLanes);
  }
};
struct ReadBF16 : ReadF32 {
  using W = uint16_t;
  static OCTAVO_INLINE Vec Columns(const uint16_t* w, int vec, int) {
    return WidenBF16(w + vec * kLanes);
  }
};
struct StreamF16 : ReadF16 {
  static constexpr bool kStream = true;
};
struct StreamBF16 : ReadF32 {
  using W = uint16_t;
  static constexpr int kStep = 2;
  static constexpr int kParts = 2;
  static constexpr bool kStream = true;
  static OCTAVO_INLINE Vec Columns(const uint16_t* w, int vec, int part) {
    return part == 0 ? WidenEven(w + 2 * vec * kLanes) : WidenOdd(w + 2 * vec * kLanes);
  }
};

// sum + old x scale; the scale belongs to a column, or to a row, or is 1.
OCTAVO_INLINE Vec AddScaled(Vec sum, Vec old, const float* column_scale, const float* row_scale) {
  if (column_scale != nullptr) return Fma(old, Load(column_scale), sum);
  if (row_scale != nullptr) return Fma(old, Set(*row_scale), sum);
  return Add(old, sum);
}

// Stores the sums of a tile, or adds them to what stands there, scaled.
template <class Block, int kRows, int kVecs>
OCTAVO_INLINE void StoreTile(const Block& b, int64_t row, int64_t panel,
                             const Vec (&acc)[kRows][kVecs]) {
  float* sums = b.sums + row * b.sums_row_stride + panel * b.sums_panel_stride;
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const float* row_scale = b.row_scale == nullptr ? nullptr : b.row_scale + row + r;
#pragma GCC unroll 64
    for (int v = 0; v < kVecs; ++v) {
      const float* column_scale =
          b.column_scale == nullptr ? nullptr : b.column_scale + panel * kPanelColumns + v * kLanes;
      float* out = sums + r * b.sums_row_stride + (v / kPanelVecs) * b.sums_panel_stride +
                   (v % kPanelVecs) * kLanes;
      const Vec sum = acc[r][v];
      Store(out, b.accumulate ? AddScaled(sum, Load(out), column_scale, row_scale) : sum);
    }
  }
}

// One part of a step of k for the whole tile.
template <class Read, int kRows, int kPanels>
OCTAVO_INLINE void TileStep(const typename Read::W* w, int64_t panel_stride,
                            const typename Read::X* x, int64_t x_row_stride, int part,
                            Vec (&acc)[kRows][kPanels * kPanelVecs]) {
  typename Read::Operand columns[kPanels * kPanelVecs];
#pragma GCC unroll 64
  for (int v = 0; v < kPanels * kPanelVecs; ++v) {
    columns[v] = Read::Columns(w + (v / kPanelVecs) * panel_stride, v % kPanelVecs, part);
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const auto value = Read::Value(x + r * x_row_stride);
#pragma GCC unroll 64
    for (int v = 0; v < kPanels * kPanelVecs; ++v) {
      acc[r][v] = Read::MultiplyAdd(value, columns[v], acc[r][v]);
    }
  }
}

template <class Read>
using BlockOf = GemmBlock<typename Read::X, typename Read::W>;

template <class Read, int kRows, int kPanels>
__attribute__((noinline)) void Tile(const BlockOf<Read>& b, int64_t row, int64_t panel) {
  Vec acc[kRows][kPanels * kPanelVecs];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 64
    for (int v = 0; v < kPanels * kPanelVecs; ++v) acc[r][v] = Zero();
  }
  const typename Read::X* x = b.x + row * b.x_row_stride;
  const int64_t x_row_stride = b.x_row_stride;
  const int64_t x_part = Read::kStep / Read::kParts * b.x_k_stride;
  const typename Read::W* w = b.w + panel * b.w_panel_stride;
  const int64_t w_panel_stride = b.w_panel_stride;
  const int64_t w_step = Read::kStep * b.w_k_stride;
  int64_t i = b.k;
  for (; i >= Read::kStep; i -= Read::kStep) {
    if (Read::kStream) {
#pragma GCC unroll 4
      for (int p = 0; p < kPanels; ++p) {
        __builtin_prefetch(reinterpret_cast<const char*>(w + p * w_panel_stride) + kPrefetchBytes);
      }
    }
#pragma GCC unroll 2
    for (int part = 0; part < Read::kParts; ++part) {
      TileStep<Read, kRows, kPanels>(w, w_panel_stride, x, x_row_stride, part, acc);
      x += x_part;
    }
    w += w_step;
  }
  if (i > 0) TileStep<Read, kRows, kPanels>(w, w_panel_stride, x, x_row_stride, 0, acc);
  StoreTile(b, row, panel, acc);
}

// kRows rows from `row` on, for the panels [panel, panel + count).
template <class Read, int kRows>
OCTAVO_INLINE void RowTile(const BlockOf<Read>& b, int64_t row, int64_t panel, int64_t count) {
  constexpr int kMost = PanelsForRows(kRows);
  while (count >= kMost) {
    Tile<Read, kRows, kMost>(b, row, panel);
    panel += kMost;
    count -= kMost;
  }
  if constexpr (kMost > 2) {
    if (count >= 2) {
      Tile<Read, kRows, 2>(b, row, panel);
      panel += 2;
      count -= 2;
    }
  }
  if constexpr (kMost > 1) {
    if (count >= 1) Tile<Read, kRows, 1>(b, row, panel);
  }
}

// Rows of the next tile when `left` remain: the last two tiles share evenly, as a tile of one row
// has too few sums to hide the latency of the multiplier.
OCTAVO_INLINE int64_t NextRows(int64_t left) {
  if (left <= kTileRows) return left;
  return left >= 2 * kTileRows ? kTileRows : (left + 1) / 2;
}

template <class Read>
void Gemm(const BlockOf<Read>& b) {
  // A group of panels stays in the nearest cache while all rows pass by.
  constexpr int64_t kGroup = Read::kStream ? 4 : PanelsForRows(kTileRows);
  const int64_t group = b.rows <= kTileRows ? b.panels : kGroup;
  for (int64_t panel = 0; panel < b.panels; panel += group) {
    const int64_t count = b.panels - panel < group ? b.panels - panel : group;
    int64_t row = 0;
    while (row < b.rows) {
      const int64_t rows = NextRows(b.rows - row);
      switch (rows) {
        case 1:
          RowTile<Read, 1>(b, row, panel, count);
          break;
        case 2:
          RowTile<Read, 2>(b, row, panel, count);
          break;
        case 3:
          RowTile<Read, 3>(b, row, panel, count);
          break;
        case 4:
          RowTile<Read, 4>(b, row, panel, count);
          break;
        case 5:
          RowTile<Read, 5>(b, row, panel, count);
          break;
        default:
          RowTile<Read, 6>(b, row, panel, count);
          break;
      }
      row += rows;
    }
  }
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_GEMM_INL_H_
