// Packed weights of one panel to bytes, for tiles of many rows (AVX2).
#ifndef OCTAVO_KERNELS_PACKED_AVX2_PANEL_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX2_PANEL_INL_H_

#include "kernels/packed_avx2_rows-inl.h"
#include "kernels/packed_avx2_stream-inl.h"
#include "kernels/packed_avx2_unpack-inl.h"

namespace octavo {
namespace {

// An unpacked panel: numbers [k / 4][16][4] (of kW8 the high halves, then the low ones), and per
// group its columns.
struct Panel {
  uint8_t numbers[2 * kBlockK * kPanelColumns];
  ColumnGroup columns[kBlockGroups];
  ColumnGroup columns32[kBlockGroups];  // kW8In7: offsets for TileSums32
  // kW8In7: the greatest norms of the columns, as in ActivationGroup.
  alignas(16) uint16_t lane_norms[kBlockGroups][2 * kGroupParts];
};

void UnpackW4(const std::byte* block, int group_size, uint8_t* out) {
  const __m256i low = _mm256_set1_epi8(15);
  for (int i = 0; i < group_size; i += 8) {
    __builtin_prefetch(block + kUnpackPrefetchBytes);
    const __m256i a = LoadBytes(block), b = LoadBytes(block + 32);
    StoreBytes(out, _mm256_and_si256(a, low));
    StoreBytes(out + 32, _mm256_and_si256(b, low));
    StoreBytes(out + 64, _mm256_and_si256(_mm256_srli_epi16(a, 4), low));
    StoreBytes(out + 96, _mm256_and_si256(_mm256_srli_epi16(b, 4), low));
    block += kGroupLineBytes;
    out += 2 * kGroupLineBytes;
  }
}

void UnpackW8(const std::byte* block, int group_size, uint8_t* high, uint8_t* low_out) {
  const __m256i low = LoadBytes(kLowHalves);
  const __m256i flip = _mm256_set1_epi8(-128);
  for (int i = 0; i < group_size * kPanelColumns; i += 32) {
    __builtin_prefetch(block + i + kUnpackPrefetchBytes);
    const __m256i v = _mm256_xor_si256(LoadBytes(block + i), flip);
    StoreBytes(high + i, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    StoreBytes(low_out + i, _mm256_and_si256(v, low));
  }
}

// The greatest of the even and of the odd numbers of 16 bits without sign.
OCTAVO_INLINE void GreatestOfLanes(__m256i a, __m256i b, int32_t greatest[2]) {
  const __m256i m = _mm256_max_epu16(a, b);
  const __m256i low = _mm256_set1_epi32(0xFFFF);
  greatest[0] = GreatestOf8(_mm256_and_si256(m, low));
  greatest[1] = GreatestOf8(_mm256_srli_epi32(m, 16));
}

// Numbers within +-63, and the norms of their lanes.
void UnpackW8In7(const std::byte* block, int group_size, uint8_t* out, uint16_t* lane_norms) {
  const __m256i centre = LoadBytes(kSixtyFour);
  __builtin_memset(lane_norms, 0, 2 * kGroupParts * sizeof(uint16_t));
  for (int part = 0; part < group_size / kGroupPartK; ++part) {
    __m256i squares[2] = {};  // of 16 bits without sign: 16 * 63^2 fits
    for (int line = 0; line < kGroupPartK / 4; ++line) {
      __builtin_prefetch(block + kUnpackPrefetchBytes);
      for (int half = 0; half < 2; ++half) {
        const __m256i v = LoadBytes(block + 32 * half);
        const __m256i size = _mm256_abs_epi8(v);
        squares[half] = _mm256_add_epi16(squares[half], _mm256_maddubs_epi16(size, size));
        StoreBytes(out + 32 * half, _mm256_add_epi8(v, centre));
      }
      block += kGroupLineBytes;
      out += kGroupLineBytes;
    }
    int32_t greatest[2];
    GreatestOfLanes(squares[0], squares[1], greatest);
    lane_norms[part] = RootRoundedUp(greatest[0]);
    lane_norms[kGroupParts + part] = RootRoundedUp(greatest[1]);
  }
}

constexpr int BitsOf(Kind kind) { return kind == Kind::kW4 ? 4 : 8; }

// Groups of one panel from `block` on.
template <Kind kKind>
void UnpackPanel(const PackedGroups& w, const std::byte* block, int64_t num_groups, Panel* panel) {
  const int64_t side = SideOffset<BitsOf(kKind)>(w.group_size);
  for (int64_t g = 0; g < num_groups; ++g) {
    uint8_t* numbers = panel->numbers + g * w.group_size * kPanelColumns;
    if (kKind == Kind::kW4) UnpackW4(block, w.group_size, numbers);
    if (kKind == Kind::kW8) {
      UnpackW8(block, w.group_size, numbers, numbers + kBlockK * kPanelColumns);
    }
    if (kKind == Kind::kW8In7) {
      UnpackW8In7(block, w.group_size, numbers, panel->lane_norms[g]);
      UnpackColumns<kKind>(block + side, w.bf16_scales, -64, panel->columns32 + g);
    }
    // 16 (high - 8) + (low - 8) is q - 8 of a stored q.
    const int centre = kKind == Kind::kW8In7 ? 0 : 8;
    UnpackColumns<kKind>(block + side, w.bf16_scales, centre, panel->columns + g);
    block += side + kGroupSideBytes;
  }
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX2_PANEL_INL_H_
