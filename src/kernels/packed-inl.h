// The definition of the kernels of packed weights: quantised rows, integer products, widening.
// Plain loops over the Vec vocabulary; a table may bring faster ones. Include a vec_*.h first.
#ifndef OCTAVO_KERNELS_PACKED_INL_H_
#define OCTAVO_KERNELS_PACKED_INL_H_

#include "kernels/kernel_table.h"

namespace octavo {
namespace {

// Adding it rounds numbers up to 2^22 to whole ones, to nearest even.
constexpr float kWholeRounder = 12582912.0f;
constexpr uint32_t kInfinityBits = 0x7F800000u;
constexpr uint32_t kNanBits = 0x7FC00000u;

OCTAVO_INLINE float FromBits(uint32_t bits) { return __builtin_bit_cast(float, bits); }

// The least n with n * n >= square.
OCTAVO_INLINE uint16_t RootRoundedUp(int32_t square) {
  auto n = static_cast<int32_t>(__builtin_sqrtf(static_cast<float>(square)));
  while (n * n < square) ++n;
  while (n > 0 && (n - 1) * (n - 1) >= square) --n;
  return static_cast<uint16_t>(n);
}

// The scale of numbers up to this magnitude; see ActivationGroup.
OCTAVO_INLINE float ActivationScale(uint32_t magnitude_bits, int range = kActivationRange) {
  if (magnitude_bits >= kInfinityBits) return FromBits(kNanBits);
  return FromBits(magnitude_bits) / static_cast<float>(range);
}

// Sums over one part of a group: by lane q, |q| and q^2.
struct LaneTotals {
  int32_t sum[2] = {0, 0};
  int32_t magnitude[2] = {0, 0};
  int32_t square[2] = {0, 0};
};

OCTAVO_INLINE int32_t Greater(int32_t a, int32_t b) { return a > b ? a : b; }

// Fills a group's record from its parts.
OCTAVO_INLINE void DescribeGroup(float scale, const LaneTotals* parts, int num_parts,
                                 ActivationGroup* group) {
  *group = ActivationGroup{};
  group->scale = scale;
  int32_t sum[2] = {0, 0}, magnitude[2] = {0, 0};
  for (int lane = 0; lane < 2; ++lane) {
    for (int p = 0; p < num_parts; ++p) {
      sum[lane] += parts[p].sum[lane];
      magnitude[lane] += parts[p].magnitude[lane];
      group->part_lane_sums[p][lane] = static_cast<int16_t>(parts[p].sum[lane]);
      group->part_lane_norms[lane][p] = RootRoundedUp(parts[p].square[lane]);
    }
    group->lane_sums[lane] = static_cast<int16_t>(sum[lane]);
  }
  group->sum = static_cast<float>(sum[0] + sum[1]);
  group->lane_magnitude = static_cast<uint16_t>(Greater(magnitude[0], magnitude[1]));
}

template <typename Number>
OCTAVO_INLINE Number QuantizeOne(float x, float scale) {
  constexpr float kMost = sizeof(Number) == 1 ? kActivationRange : kActivation16Range;
  float rounded = (x / scale + kWholeRounder) - kWholeRounder;
  if (rounded > kMost) rounded = kMost;
  if (rounded < -kMost) rounded = -kMost;
  return static_cast<Number>(rounded);
}

// The greatest |x|, as bits.
OCTAVO_INLINE uint32_t MagnitudeBits(const float* x, int count) {
  uint32_t magnitude = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t bits = __builtin_bit_cast(uint32_t, x[i]) & 0x7FFFFFFFu;
    if (bits > magnitude) magnitude = bits;
  }
  return magnitude;
}

void QuantizeRowLoop(const float* x, int64_t k, int group_size, int8_t* q,
                     ActivationGroup* groups) {
  for (int64_t begin = 0; begin < k; begin += group_size) {
    const float scale = ActivationScale(MagnitudeBits(x + begin, group_size));
    LaneTotals parts[kGroupParts];
    for (int i = 0; i < group_size; ++i) {
      const int8_t value = scale > 0 ? QuantizeOne<int8_t>(x[begin + i], scale) : int8_t{0};
      LaneTotals& part = parts[i / kGroupPartK];
      const int lane = i % 4 / 2;
      part.sum[lane] += value;
      part.magnitude[lane] += value < 0 ? -value : value;
      part.square[lane] += value * value;
      q[begin + i] = value;
    }
    DescribeGroup(scale, parts, group_size / kGroupPartK, groups++);
  }
}

void QuantizeRowA16Loop(const float* x, int64_t k, int group_size, int16_t* q, float* scales) {
  for (int64_t begin = 0; begin < k; begin += group_size) {
    const float scale = ActivationScale(MagnitudeBits(x + begin, group_size), kActivation16Range);
    for (int i = 0; i < group_size; ++i) {
      q[begin + Activation16Place(i)] =
          scale > 0 ? QuantizeOne<int16_t>(x[begin + i], scale) : int16_t{0};
    }
    *scales++ = scale;
  }
}

// What a form of activations keeps where.
OCTAVO_INLINE int PlaceOf(const int8_t*, int k) { return k; }
OCTAVO_INLINE int PlaceOf(const int16_t*, int k) { return Activation16Place(k); }
OCTAVO_INLINE float ScaleOf(const ActivationGroup& group) { return group.scale; }
OCTAVO_INLINE float ScaleOf(float group) { return group; }

// The 16 columns of a side line: zeros as GroupZero gives them less 128 for 8 bits, scales widened.
struct SideLine {
  float scale[kPanelColumns];
  int32_t zero[kPanelColumns];
};

template <int kBits>
OCTAVO_INLINE void ReadSideLine(const std::byte* line, bool bf16, SideLine* side) {
  const auto* scale = reinterpret_cast<const uint16_t*>(line);
  for (int c = 0; c < kPanelColumns; c += kLanes) {
    Store(side->scale + c, bf16 ? WidenBF16(scale + c) : WidenF16(scale + c));
  }
  for (int c = 0; c < kPanelColumns; ++c) {
    const auto zero = static_cast<uint8_t>(line[kGroupZeroOffset + c]);
    side->zero[c] = kBits == 4 ? int32_t{zero} : int32_t{static_cast<int8_t>(zero)};
  }
}

// q of 16 columns for i of a block: 0..15, or -128..127.
template <int kBits>
OCTAVO_INLINE void ReadColumns(const std::byte* block, int i, int32_t* q) {
  constexpr int kLineK = kBits == 4 ? 8 : 4;
  const std::byte* line = block + i / kLineK * kGroupLineBytes + i % 4;
  for (int c = 0; c < kPanelColumns; ++c) {
    const auto byte = static_cast<uint8_t>(line[4 * c]);
    q[c] = kBits == 8 ? int32_t{static_cast<int8_t>(byte)} : (i % 8 < 4 ? byte & 15 : byte >> 4);
  }
}

template <int kBits>
OCTAVO_INLINE int64_t SideOffset(int group_size) {
  return int64_t{group_size / (kBits == 4 ? 8 : 4)} * kGroupLineBytes;
}

// One row, one block: dot products of 16 columns, added to sums with their scales.
template <int kBits, typename X, typename XGroup>
OCTAVO_INLINE void AddBlock(const PackedProduct<X, XGroup>& g, const std::byte* block,
                            const SideLine& side, const X* x, const XGroup& group, float* sums) {
  int32_t dot[kPanelColumns] = {};
  for (int i = 0; i < g.w.group_size; ++i) {
    int32_t q[kPanelColumns];
    ReadColumns<kBits>(block, i, q);
    for (int c = 0; c < kPanelColumns; ++c) dot[c] += (q[c] - side.zero[c]) * x[PlaceOf(x, i)];
  }
  for (int c = 0; c < kPanelColumns; ++c) {
    sums[c] = __builtin_fmaf(static_cast<float>(dot[c]), side.scale[c] * ScaleOf(group), sums[c]);
  }
}

template <typename Product>
OCTAVO_INLINE void ZeroSums(const Product& g) {
  for (int64_t r = 0; r < g.rows; ++r) {
    __builtin_memset(g.sums + r * g.sums_row_stride, 0,
                     static_cast<size_t>(g.panels * kPanelColumns) * sizeof(float));
  }
}

template <int kBits, typename Product>
void GemmPackedLoop(const Product& g) {
  const int64_t side_offset = SideOffset<kBits>(g.w.group_size);
  if (!g.accumulate) ZeroSums(g);
  for (int64_t p = 0; p < g.panels; ++p) {
    const std::byte* block = g.w.data + p * g.w.panel_stride;
    float* sums = g.sums + p * kPanelColumns;
    for (int64_t group = 0; group < g.num_groups; ++group) {
      SideLine side;
      ReadSideLine<kBits>(block + side_offset, g.w.bf16_scales, &side);
      for (int64_t r = 0; r < g.rows; ++r) {
        AddBlock<kBits>(g, block, side, g.x + r * g.x_row_stride + group * g.w.group_size,
                        g.x_groups[r * g.x_groups_row_stride + group],
                        sums + r * g.sums_row_stride);
      }
      block += side_offset + kGroupSideBytes;
    }
  }
}

template <int kBits>
void WidenGroupLoop(const PackedGroups& w, float* out) {
  SideLine side;
  ReadSideLine<kBits>(w.data + SideOffset<kBits>(w.group_size), w.bf16_scales, &side);
  for (int i = 0; i < w.group_size; ++i) {
    int32_t q[kPanelColumns];
    ReadColumns<kBits>(w.data, i, q);
    for (int c = 0; c < kPanelColumns; ++c) {
      out[i * kPanelColumns + c] = static_cast<float>(q[c] - side.zero[c]) * side.scale[c];
    }
  }
}

// The slots of packed weights, from the loops above.
constexpr void SetPackedLoops(KernelTable* t) {
  t->quantize_row = QuantizeRowLoop;
  t->gemm_w4a8 = GemmPackedLoop<4, GemmPacked>;
  t->gemm_w8a8 = GemmPackedLoop<8, GemmPacked>;
  t->packed_a16 = {QuantizeRowA16Loop, GemmPackedLoop<4, GemmPackedA16>,
                   GemmPackedLoop<8, GemmPackedA16>};
  t->widen_w4 = WidenGroupLoop<4>;
  t->widen_w8 = WidenGroupLoop<8>;
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_INL_H_
