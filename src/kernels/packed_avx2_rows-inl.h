// Rows and blocks with AVX2: activations to 8 bits, packed weights to f32. See packed-inl.h for the
// definition.
#ifndef OCTAVO_KERNELS_PACKED_AVX2_ROWS_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX2_ROWS_INL_H_

#include <immintrin.h>

#include "kernels/packed-inl.h"

namespace octavo {
namespace {

OCTAVO_INLINE int32_t GreatestOf8(__m256i v) {
  __m128i m = _mm_max_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4E));
  return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xB1)));
}

// The greatest |x|, as bits; those of infinities and NaN are greater than all others.
OCTAVO_INLINE uint32_t GreatestMagnitude(const float* x, int count) {
  const __m256i size = _mm256_set1_epi32(0x7FFFFFFF);
  __m256i greatest = _mm256_setzero_si256();
  for (int i = 0; i < count; i += 8) {
    const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(x + i));
    greatest = _mm256_max_epi32(greatest, _mm256_and_si256(bits, size));
  }
  return static_cast<uint32_t>(GreatestOf8(greatest));
}

// 32 numbers divided by `scale`, rounded and cut to +-127.
OCTAVO_INLINE __m256i Quantize32(const float* x, __m256 scale) {
  __m256i whole[4];
  for (int i = 0; i < 4; ++i) {
    whole[i] = _mm256_cvtps_epi32(_mm256_div_ps(_mm256_loadu_ps(x + 8 * i), scale));
  }
  const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(whole[0], whole[1]),
                                           _mm256_packs_epi32(whole[2], whole[3]));
  const __m256i ordered =
      _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
  return _mm256_max_epi8(ordered, _mm256_set1_epi8(-kActivationRange));
}

// Sums of the eight pairs of 16 bits of each of four vectors; kWide: of the eight numbers of 32.
template <bool kWide>
OCTAVO_INLINE __m128i SumEach(const __m256i v[kGroupParts]) {
  const auto add = [](__m256i a, __m256i b) {
    return kWide ? _mm256_add_epi32(a, b) : _mm256_add_epi16(a, b);
  };
  const __m256i a = add(_mm256_unpacklo_epi32(v[0], v[1]), _mm256_unpackhi_epi32(v[0], v[1]));
  const __m256i b = add(_mm256_unpacklo_epi32(v[2], v[3]), _mm256_unpackhi_epi32(v[2], v[3]));
  const __m256i both = add(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
  const __m128i low = _mm256_castsi256_si128(both), high = _mm256_extracti128_si256(both, 1);
  return kWide ? _mm_add_epi32(low, high) : _mm_add_epi16(low, high);
}

// The four pairs of 16 bits together, as the first one.
OCTAVO_INLINE __m128i SumPairs(__m128i v) {
  v = _mm_add_epi16(v, _mm_shuffle_epi32(v, 0x4E));
  return _mm_add_epi16(v, _mm_shuffle_epi32(v, 0xB1));
}

// As RootRoundedUp: squares below 2^24 and roots of whole squares are exact in f32, and no other
// root is rounded to a whole number.
OCTAVO_INLINE __m128i RootsRoundedUp(__m256i squares) {
  const __m256 roots = _mm256_ceil_ps(_mm256_sqrt_ps(_mm256_cvtepi32_ps(squares)));
  const __m256i whole = _mm256_cvtps_epi32(roots);
  return _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
}

// As DescribeGroup, from the quantised numbers. Parts that a short group lacks are 0.
OCTAVO_INLINE void DescribeBytes(float scale, const __m256i parts[kGroupParts],
                                 ActivationGroup* group) {
  const __m256i one = _mm256_set1_epi8(1), low_half = _mm256_set1_epi32(0xFFFF);
  __m256i sums[kGroupParts], squares[2][kGroupParts];
  __m256i magnitudes = _mm256_setzero_si256();  // 64 * 127 fits
  for (int p = 0; p < kGroupParts; ++p) {
    const __m256i size = _mm256_abs_epi8(parts[p]);
    sums[p] = _mm256_maddubs_epi16(one, parts[p]);
    magnitudes = _mm256_add_epi16(magnitudes, _mm256_maddubs_epi16(size, one));
    const __m256i square = _mm256_maddubs_epi16(size, size);
    squares[0][p] = _mm256_and_si256(square, low_half);
    squares[1][p] = _mm256_srli_epi32(square, 16);
  }
  const __m128i part_sums = SumEach<false>(sums);
  const int32_t sum = _mm_cvtsi128_si32(SumPairs(part_sums));
  const auto magnitude = static_cast<uint32_t>(_mm_cvtsi128_si32(SumPairs(
      _mm_add_epi16(_mm256_castsi256_si128(magnitudes), _mm256_extracti128_si256(magnitudes, 1)))));
  group->scale = scale;
  group->sum = static_cast<float>(static_cast<int16_t>(sum) + (sum >> 16));
  __builtin_memcpy(group->lane_sums, &sum, sizeof(sum));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(group->part_lane_sums), part_sums);
  group->lane_magnitude = static_cast<uint16_t>(
      Greater(static_cast<int32_t>(magnitude & 0xFFFF), static_cast<int32_t>(magnitude >> 16)));
  group->unused = 0;
  const __m256i norms = _mm256_set_m128i(SumEach<true>(squares[1]), SumEach<true>(squares[0]));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(group->part_lane_norms), RootsRoundedUp(norms));
}

void QuantizeRow(const float* x, int64_t k, int group_size, int8_t* q, ActivationGroup* groups) {
  for (int64_t begin = 0; begin < k; begin += group_size) {
    const float scale = ActivationScale(GreatestMagnitude(x + begin, group_size));
    __m256i parts[kGroupParts] = {};
    for (int p = 0; p < group_size / kGroupPartK; ++p) {
      const int64_t at = begin + p * kGroupPartK;
      if (scale > 0) parts[p] = Quantize32(x + at, _mm256_set1_ps(scale));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + at), parts[p]);
    }
    DescribeBytes(scale, parts, groups++);
  }
  _mm256_zeroupper();
}

// 16 numbers divided by `scale`, rounded and cut to +-32767, every four as 0, 2, 1, 3.
OCTAVO_INLINE __m256i QuantizeA16(const float* x, __m256 scale) {
  const __m256i most = _mm256_set1_epi32(kActivation16Range);
  const __m256i least = _mm256_set1_epi32(-kActivation16Range);
  __m256i whole[2];
  for (int i = 0; i < 2; ++i) {
    const __m256i rounded = _mm256_cvtps_epi32(_mm256_div_ps(_mm256_loadu_ps(x + 8 * i), scale));
    whole[i] = _mm256_max_epi32(_mm256_min_epi32(rounded, most), least);
  }
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packs_epi32(whole[0], whole[1]), 0xD8);
  return _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(halves, 0xD8), 0xD8);
}

void QuantizeRowA16(const float* x, int64_t k, int group_size, int16_t* q, float* scales) {
  for (int64_t begin = 0; begin < k; begin += group_size) {
    const float scale =
        ActivationScale(GreatestMagnitude(x + begin, group_size), kActivation16Range);
    for (int64_t i = begin; i < begin + group_size; i += 16) {
      const __m256i whole =
          scale > 0 ? QuantizeA16(x + i, _mm256_set1_ps(scale)) : _mm256_setzero_si256();
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(q + i), whole);
    }
    *scales++ = scale;
  }
  _mm256_zeroupper();
}

// Half of a side line: 8 columns.
struct HalfSide {
  __m256 scale;
  __m256i zero;
};
template <int kBits>
OCTAVO_INLINE HalfSide ReadHalfSide(const std::byte* side, bool bf16, int column) {
  const auto* scale = reinterpret_cast<const uint16_t*>(side) + column;
  const __m128i zero =
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(side + kGroupZeroOffset + column));
  return {bf16 ? WidenBF16(scale) : WidenF16(scale),
          kBits == 4 ? _mm256_cvtepu8_epi32(zero) : _mm256_cvtepi8_epi32(zero)};
}

// (q - zero) * scale of 8 columns; q in 32 bits each.
OCTAVO_INLINE void StoreWide(float* out, __m256i q, const HalfSide& side) {
  const __m256 difference = _mm256_cvtepi32_ps(_mm256_sub_epi32(q, side.zero));
  _mm256_storeu_ps(out, _mm256_mul_ps(difference, side.scale));
}

void WidenW4(const PackedGroups& w, float* out) {
  const __m256i low = _mm256_set1_epi32(15);
  const std::byte* side = w.data + SideOffset<4>(w.group_size);
  for (int c = 0; c < kPanelColumns; c += 8) {
    const HalfSide half = ReadHalfSide<4>(side, w.bf16_scales, c);
    const std::byte* line = w.data + 4 * c;
    float* to = out + c;
    for (int i = 0; i < w.group_size; i += 8) {
      __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line));
      for (int b = 0; b < 4; ++b) {
        StoreWide(to + b * kPanelColumns, _mm256_and_si256(v, low), half);
        v = _mm256_srli_epi32(v, 4);
        StoreWide(to + (4 + b) * kPanelColumns, _mm256_and_si256(v, low), half);
        v = _mm256_srli_epi32(v, 4);
      }
      line += kGroupLineBytes;
      to += 8 * kPanelColumns;
    }
  }
  _mm256_zeroupper();
}

void WidenW8(const PackedGroups& w, float* out) {
  const std::byte* side = w.data + SideOffset<8>(w.group_size);
  for (int c = 0; c < kPanelColumns; c += 8) {
    const HalfSide half = ReadHalfSide<8>(side, w.bf16_scales, c);
    const std::byte* line = w.data + 4 * c;
    float* to = out + c;
    for (int i = 0; i < w.group_size; i += 4) {
      const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(line));
      StoreWide(to, _mm256_srai_epi32(_mm256_slli_epi32(v, 24), 24), half);
      StoreWide(to + kPanelColumns, _mm256_srai_epi32(_mm256_slli_epi32(v, 16), 24), half);
      StoreWide(to + 2 * kPanelColumns, _mm256_srai_epi32(_mm256_slli_epi32(v, 8), 24), half);
      StoreWide(to + 3 * kPanelColumns, _mm256_srai_epi32(v, 24), half);
      line += kGroupLineBytes;
      to += 4 * kPanelColumns;
    }
  }
  _mm256_zeroupper();
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX2_ROWS_INL_H_
