// Products of packed weights on x86 by an instruction that multiplies some integers of one operand
// by as many of the other and adds them to a sum of 32 bits: four bytes (vpdpbusd) where
// activations have 8 bits, two numbers of 16 (vpdpwssd, or vpmaddwd and vpaddd) where they have 16.
// Such sums always fit, so there is no second way.
//
// Many rows: one panel or two at a time are unpacked to lines, up to 1280 k of them, and rows pass
// by in tiles. Few rows: the packed bytes are read once, straight from memory.
//
// Include vec_avx2.h first. What differs is a parameter, Dot (packed_dot_forms-inl.h):
//   Product, Group    PackedProduct of the activations' form, and their group's record
//   Reg               a register; kRegisters of them hold a line, or 16 sums of 32 bits
//   kLineK            k of an unpacked line of 64 bytes, 16 columns: 4 or 2; 4 bytes of a row of
//                     activations belong to it
//   kTileRows, kTilePanels    rows and panels whose sums stay in registers beside a line of each:
//                     an activation that is loaded serves all panels of a tile
//   kStreamRows, kPassRows    up to so many rows pass by packed weights, so many at once
//   Load, Store       of a register, aligned
//   Centre, CentreOf<kBits>(side)      what Unpack takes off the weights of a block
//   Unpack<kBits>(w, centre, lines)    the lines of the next 8 k of a packed block
//   Zero(), Sum(a, b)
//   Broadcast(x)      four bytes of activations to every four
//   Add(sums, w, x)   sums[c] + the sum over j of w[c][j] * x[c][j]
//   Columns, ReadColumns<kBits>(side, bf16, columns)    what a block's side line says
//   LoadedColumns, LoadColumns(columns, first)    of as many columns as a register has sums
//   Mask, MaskOf(yes)     all of them, or none
//   Finish(sums, columns, group, mask, out)
//                     out = fma(dot, scale * the group's scale, mask ? out : 0)
#ifndef OCTAVO_KERNELS_PACKED_DOT_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT_INL_H_

#include "kernels/packed_avx2_rows-inl.h"
#include "kernels/packed_avx2_unpack-inl.h"

namespace octavo {
namespace {

constexpr int64_t kDotBlockRows = 192;

// An unpacked panel, lines [k / kLineK][16][kLineK]. The private memory of a call is some of them.
template <class Dot>
struct DotPanel {
  alignas(64) uint8_t numbers[kBlockK / Dot::kLineK * kGroupLineBytes];
  typename Dot::Columns columns[kBlockGroups];
};

constexpr int kLineActivationBytes = 4;  // of each row

// Rows of activations by three, as x86 adds one or two strides to an address by itself.
template <int kRows>
struct RowPointers {
  const uint8_t* third[(kRows + 2) / 3];
  int64_t stride;  // bytes

  template <typename X>
  OCTAVO_INLINE RowPointers(const X* x, int64_t row_stride)
      : stride(row_stride * int64_t{sizeof(X)}) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(x);
    for (int i = 0; i < (kRows + 2) / 3; ++i) third[i] = bytes + 3 * i * stride;
  }
  OCTAVO_INLINE const uint8_t* Row(int r) const { return third[r / 3] + r % 3 * stride; }
  OCTAVO_INLINE void Advance(int64_t bytes) {
    for (int i = 0; i < (kRows + 2) / 3; ++i) third[i] += bytes;
  }
};

// The weights of 16 columns by some k, [16][kLineK], and what rows have summed up of them.
template <class Dot>
using DotLine = typename Dot::Reg[Dot::kRegisters];
template <class Dot, int kRows>
using DotSums = typename Dot::Reg[kRows][Dot::kRegisters];

template <class Dot, int kRows>
OCTAVO_INLINE void ClearSums(DotSums<Dot, kRows>& sums) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < Dot::kRegisters; ++i) sums[r][i] = Dot::Zero();
  }
}

template <class Dot>
OCTAVO_INLINE void LoadLine(const uint8_t* p, DotLine<Dot>& line) {
#pragma GCC unroll 2
  for (int i = 0; i < Dot::kRegisters; ++i) line[i] = Dot::Load(p + i * sizeof(line[0]));
}

// Adds one line of each of some panels, the `at`-th from where x stands.
template <class Dot, int kRows, int kPanels>
OCTAVO_INLINE void AddLines(const DotLine<Dot>* lines, const RowPointers<kRows>& x, int at,
                            DotSums<Dot, kRows>* sums) {
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    const auto four = Dot::Broadcast(x.Row(r) + at * kLineActivationBytes);
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 2
      for (int i = 0; i < Dot::kRegisters; ++i) {
        sums[p][r][i] = Dot::Add(sums[p][r][i], lines[p][i], four);
      }
    }
  }
}

// Adds one group to f32 sums, which the first group begins. Strides are copied and columns loaded
// first: for all the compiler knows, a store may change them.
template <class Dot, int kRows>
OCTAVO_INLINE void FinishTile(const typename Dot::Product& g, const DotSums<Dot, kRows>& sums,
                              const typename Dot::Columns& columns,
                              const typename Dot::Group* groups, int64_t group, float* out) {
  constexpr int kColumns = kPanelColumns / Dot::kRegisters;
  const typename Dot::Mask mask = Dot::MaskOf(g.accumulate || group > 0);
  const int64_t groups_stride = g.x_groups_row_stride, out_stride = g.sums_row_stride;
  typename Dot::LoadedColumns loaded[Dot::kRegisters];
#pragma GCC unroll 2
  for (int i = 0; i < Dot::kRegisters; ++i) loaded[i] = Dot::LoadColumns(columns, i * kColumns);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int i = 0; i < Dot::kRegisters; ++i) {
      Dot::Finish(sums[r][i], loaded[i], *groups, mask, out + i * kColumns);
    }
    groups += groups_stride;
    out += out_stride;
  }
}

// Some rows, and the groups that are unpacked.
struct DotBlock {
  int64_t row, rows, group, groups;
};

// The first kRows rows of a block by some panels.
template <class Dot, int kRows, int kPanels>
__attribute__((noinline)) void DotTile(const typename Dot::Product& g, const DotPanel<Dot>* panels,
                                       const DotBlock& b, float* out) {
  const uint8_t* w = panels[0].numbers;
  RowPointers<kRows> x(g.x + b.row * g.x_row_stride + b.group * g.w.group_size, g.x_row_stride);
  const typename Dot::Group* groups = g.x_groups + b.row * g.x_groups_row_stride + b.group;
  out += b.row * g.sums_row_stride;
  for (int64_t i = 0; i < b.groups; ++i) {
    DotSums<Dot, kRows> sums[kPanels];
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) ClearSums<Dot, kRows>(sums[p]);
    for (int left = g.w.group_size; left > 0; left -= Dot::kLineK) {
      DotLine<Dot> lines[kPanels];
#pragma GCC unroll 2
      for (int p = 0; p < kPanels; ++p) LoadLine<Dot>(w + p * sizeof(DotPanel<Dot>), lines[p]);
      AddLines<Dot, kRows, kPanels>(lines, x, 0, sums);
      w += kGroupLineBytes;
      x.Advance(kLineActivationBytes);
    }
#pragma GCC unroll 2
    for (int p = 0; p < kPanels; ++p) {
      FinishTile<Dot, kRows>(g, sums[p], panels[p].columns[i], groups + i, b.group + i,
                             out + p * kPanelColumns);
    }
  }
}

// All rows of a block by some panels.
template <class Dot, int kPanels>
void DotRows(const typename Dot::Product& g, const DotPanel<Dot>* panels, DotBlock b, float* out) {
  constexpr int64_t kRestRows = 4;
  const int64_t end = b.row + b.rows;
  for (; b.row + Dot::kTileRows <= end; b.row += Dot::kTileRows) {
    DotTile<Dot, Dot::kTileRows, kPanels>(g, panels, b, out);
  }
  for (; b.row < end; b.row += kRestRows) {
    switch (end - b.row) {
      case 1:
        DotTile<Dot, 1, kPanels>(g, panels, b, out);
        break;
      case 2:
        DotTile<Dot, 2, kPanels>(g, panels, b, out);
        break;
      case 3:
        DotTile<Dot, 3, kPanels>(g, panels, b, out);
        break;
      default:
        DotTile<Dot, 4, kPanels>(g, panels, b, out);
        break;
    }
  }
}

template <class Dot>
constexpr int kDotLines = 8 / Dot::kLineK;

// The next 8 k of a packed block, as lines; returns what follows.
template <class Dot, int kBits>
OCTAVO_INLINE const uint8_t* NextLines(const uint8_t* w, typename Dot::Centre centre,
                                       DotLine<Dot> (&lines)[kDotLines<Dot>]) {
  constexpr int kBytes = kBits / 4 * kGroupLineBytes;
  for (int i = 0; i < kBytes; i += kGroupLineBytes) {
    __builtin_prefetch(w + kUnpackPrefetchBytes + i);
  }
  Dot::template Unpack<kBits>(w, centre, lines);
  return w + kBytes;
}

template <class Dot>
OCTAVO_INLINE void StoreLine(const DotLine<Dot>& line, uint8_t* p) {
#pragma GCC unroll 2
  for (int i = 0; i < Dot::kRegisters; ++i) Dot::Store(p + i * sizeof(line[0]), line[i]);
}

template <class Dot, int kBits>
void DotUnpack(const PackedGroups& w, const std::byte* block, int64_t count, DotPanel<Dot>* panel) {
  const int64_t side = SideOffset<kBits>(w.group_size);
  uint8_t* numbers = panel->numbers;
  for (int64_t i = 0; i < count; ++i) {
    const auto* packed = reinterpret_cast<const uint8_t*>(block);
    const typename Dot::Centre centre = Dot::template CentreOf<kBits>(block + side);
    for (int left = w.group_size; left > 0; left -= 8) {
      DotLine<Dot> lines[kDotLines<Dot>];
      packed = NextLines<Dot, kBits>(packed, centre, lines);
#pragma GCC unroll 4
      for (const DotLine<Dot>& line : lines) {
        StoreLine<Dot>(line, numbers);
        numbers += kGroupLineBytes;
      }
    }
    Dot::template ReadColumns<kBits>(block + side, w.bf16_scales, panel->columns + i);
    block += side + kGroupSideBytes;
  }
}

// The rows and groups of `b` by the panels from p on; returns how many panels that are.
template <class Dot, int kBits, int kPanels>
int64_t DotPanels(const typename Dot::Product& g, const DotBlock& b, int64_t p) {
  auto* panels = reinterpret_cast<DotPanel<Dot>*>(g.scratch);
  const int64_t block_bytes = SideOffset<kBits>(g.w.group_size) + kGroupSideBytes;
  for (int i = 0; i < kPanels; ++i) {
    DotUnpack<Dot, kBits>(g.w, g.w.data + (p + i) * g.w.panel_stride + b.group * block_bytes,
                          b.groups, panels + i);
  }
  DotRows<Dot, kPanels>(g, panels, b, g.sums + p * kPanelColumns);
  return kPanels;
}

template <class Dot, int kBits>
void DotByTiles(const typename Dot::Product& g) {
  static_assert(Dot::kTilePanels * sizeof(DotPanel<Dot>) <= kGemmPackedScratchBytes);
  for (DotBlock b{}; b.row < g.rows; b.row += kDotBlockRows) {
    b.rows = g.rows - b.row < kDotBlockRows ? g.rows - b.row : kDotBlockRows;
    for (b.group = 0; b.group < g.num_groups; b.group += kBlockGroups) {
      b.groups = g.num_groups - b.group < kBlockGroups ? g.num_groups - b.group : kBlockGroups;
      for (int64_t p = 0; p < g.panels;) {
        p += p + Dot::kTilePanels <= g.panels ? DotPanels<Dot, kBits, Dot::kTilePanels>(g, b, p)
                                              : DotPanels<Dot, kBits, 1>(g, b, p);
      }
    }
  }
}

// Rows [row, row + kRows) by one packed block, into rows of `out`. Where registers allow, rows have
// two sums each, as one alone would wait for the instruction's latency.
template <class Dot, int kBits, int kRows>
__attribute__((noinline)) void StreamDots(const typename Dot::Product& g, const std::byte* block,
                                          const typename Dot::Columns& columns, int64_t row,
                                          int64_t group, float* out) {
  constexpr int kSets = kRows * Dot::kRegisters <= Dot::kPassRows ? 2 : 1;
  const auto* w = reinterpret_cast<const uint8_t*>(block);
  RowPointers<kRows> x(g.x + row * g.x_row_stride + group * g.w.group_size, g.x_row_stride);
  DotSums<Dot, kRows> sums[kSets];
#pragma GCC unroll 2
  for (int i = 0; i < kSets; ++i) ClearSums<Dot, kRows>(sums[i]);
  const typename Dot::Centre centre =
      Dot::template CentreOf<kBits>(block + SideOffset<kBits>(g.w.group_size));
  for (int left = g.w.group_size; left > 0; left -= 8) {
    DotLine<Dot> lines[kDotLines<Dot>];
    w = NextLines<Dot, kBits>(w, centre, lines);
#pragma GCC unroll 4
    for (int i = 0; i < kDotLines<Dot>; ++i) {
      AddLines<Dot, kRows, 1>(lines + i, x, i, sums + i % kSets);
    }
    x.Advance(kDotLines<Dot> * kLineActivationBytes);
  }
  if constexpr (kSets == 2) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int i = 0; i < Dot::kRegisters; ++i) {
        sums[0][r][i] = Dot::Sum(sums[0][r][i], sums[1][r][i]);
      }
    }
  }
  FinishTile<Dot, kRows>(g, sums[0], columns, g.x_groups + row * g.x_groups_row_stride + group,
                         group, out + row * g.sums_row_stride);
}

template <class Dot>
using StreamPass = void (*)(const typename Dot::Product&, const std::byte*,
                            const typename Dot::Columns&, int64_t, int64_t, float*);

// The pass of so many rows; at most Dot::kPassRows.
template <class Dot, int kBits, int kRows = 1>
StreamPass<Dot> PassOf(int64_t rows) {
  if constexpr (kRows < Dot::kPassRows) {
    if (rows > kRows) return PassOf<Dot, kBits, kRows + 1>(rows);
  }
  return StreamDots<Dot, kBits, kRows>;
}

// All rows by one packed block, in even passes.
template <class Dot, int kBits>
void StreamBlockDots(const typename Dot::Product& g, const std::byte* block,
                     const typename Dot::Columns& columns, int64_t group, float* out) {
  int64_t row = 0;
  for (int64_t pass = (g.rows + Dot::kPassRows - 1) / Dot::kPassRows; pass > 0; --pass) {
    const int64_t rows = (g.rows - row + pass - 1) / pass;
    PassOf<Dot, kBits>(rows)(g, block, columns, row, group, out);
    row += rows;
  }
}

template <class Dot, int kBits>
void DotByStream(const typename Dot::Product& g) {
  const int64_t side = SideOffset<kBits>(g.w.group_size);
  for (int64_t p = 0; p < g.panels; ++p) {
    const std::byte* block = g.w.data + p * g.w.panel_stride;
    for (int64_t group = 0; group < g.num_groups; ++group) {
      typename Dot::Columns columns;
      Dot::template ReadColumns<kBits>(block + side, g.w.bf16_scales, &columns);
      StreamBlockDots<Dot, kBits>(g, block, columns, group, g.sums + p * kPanelColumns);
      block += side + kGroupSideBytes;
    }
  }
}

template <class Dot, int kBits>
void GemmPackedDots(const typename Dot::Product& g) {
  if (g.num_groups == 0 && !g.accumulate) ZeroSums(g);  // no first group begins them
  if (g.rows <= Dot::kStreamRows) {
    DotByStream<Dot, kBits>(g);
  } else {
    DotByTiles<Dot, kBits>(g);
  }
  _mm256_zeroupper();
}

// The slots of packed weights, by a Dot for activations of 8 bits and one for 16.
template <class Dot8, class Dot16>
constexpr KernelTable DotSlots(const char* name) {
  KernelTable t{};
  t.name = name;
  t.quantize_row = QuantizeRow;
  t.gemm_w4a8 = GemmPackedDots<Dot8, 4>;
  t.gemm_w8a8 = GemmPackedDots<Dot8, 8>;
  t.packed_a16 = {QuantizeRowA16, GemmPackedDots<Dot16, 4>, GemmPackedDots<Dot16, 8>};
  t.widen_w4 = WidenW4;
  t.widen_w8 = WidenW8;
  return t;
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT_INL_H_
