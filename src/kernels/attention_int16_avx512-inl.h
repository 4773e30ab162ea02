// Attention in 16-bit integers with vpdpwssd, AVX512_VNNI: 64 queries are four registers of 32-bit
// sums. Packing is AVX2's: it is a hundredth of the work.
//
// Both products walk pairs in tiles of some keys, or some channels, by all 64 queries: what is
// loaded of the queries serves the whole tile.
#ifndef OCTAVO_KERNELS_ATTENTION_INT16_AVX512_INL_H_
#define OCTAVO_KERNELS_ATTENTION_INT16_AVX512_INL_H_

#include <immintrin.h>

#include "kernels/attention_int16_avx2-inl.h"

namespace octavo {
namespace {
namespace int16_avx512 {

using int16_attention::kBottom;
using int16_attention::kIntegers;
using int16_attention::kMagic;
using int16_attention::kPower;
using int16_attention::kTop;

constexpr int kVecs = kInt16Lanes / 16;
constexpr int kTileKeys = 6;
constexpr int kTileChannels = 5;  // sixteen tiles of a head of 80

template <int kRows>
using Sums = __m512i[kRows][kVecs];

// As assembly: with the intrinsic g++ 12 moves sums from register to register.
OCTAVO_INT16_INLINE __m512i AddPairs(__m512i sums, __m512i a, __m512i b) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
  return sums;
}

// sums[r][lane] = the sum over pairs of rows[r * stride + 2 p ..] times lanes[p][lane][..].
template <int kRows>
OCTAVO_INT16_INLINE void SumPairs(const int16_t* rows, int64_t stride, const void* lanes,
                                  int64_t pairs, Sums<kRows>& sums) {
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int i = 0; i < kVecs; ++i) sums[r][i] = _mm512_setzero_si512();
  }
  const auto* in = static_cast<const int32_t*>(lanes);
  // Three rows to a pointer: x86 adds one or two strides to an address by itself.
  const int16_t* third[(kRows + 2) / 3];
#pragma GCC unroll 4
  for (int i = 0; i < (kRows + 2) / 3; ++i) third[i] = rows + 3 * i * stride;
  for (; pairs > 0; --pairs) {
    __m512i lane[kVecs];
#pragma GCC unroll 4
    for (int i = 0; i < kVecs; ++i) lane[i] = _mm512_loadu_si512(in + 16 * i);
    in += kInt16Lanes;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      int32_t two;
      __builtin_memcpy(&two, third[r / 3] + r % 3 * stride, sizeof(two));
      const __m512i pair = _mm512_set1_epi32(two);
#pragma GCC unroll 4
      for (int i = 0; i < kVecs; ++i) sums[r][i] = AddPairs(sums[r][i], lane[i], pair);
    }
#pragma GCC unroll 4
    for (int i = 0; i < (kRows + 2) / 3; ++i) third[i] += 2;
  }
}

// scores[kRows][64] of some keys; highest[64] grows by them.
template <int kRows>
__attribute__((noinline)) void ScoresOfKeys(const int16_t* keys, const Int16Block& b,
                                            int32_t* scores, __m512i* highest) {
  const int64_t padded = Int16Dim(b.dim);
  Sums<kRows> sums;
  SumPairs<kRows>(keys, padded, b.queries, padded / 2, sums);
#pragma GCC unroll 4
  for (int i = 0; i < kVecs; ++i) {
    __m512i most = highest[i];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      _mm512_storeu_si512(scores + r * kInt16Lanes + 16 * i, sums[r][i]);
      most = _mm512_max_epi32(most, sums[r][i]);
    }
    highest[i] = most;
  }
}

void Scores(const Int16Block& b, __m512i* highest) {
  const int64_t padded = Int16Dim(b.dim);
  int64_t k = 0;
  for (; k + kTileKeys <= b.num_keys; k += kTileKeys) {
    ScoresOfKeys<kTileKeys>(b.keys + k * padded, b, b.scores + k * kInt16Lanes, highest);
  }
  for (; k + 2 <= b.num_keys; k += 2) {
    ScoresOfKeys<2>(b.keys + k * padded, b, b.scores + k * kInt16Lanes, highest);
  }
  if (k < b.num_keys) {
    ScoresOfKeys<1>(b.keys + k * padded, b, b.scores + k * kInt16Lanes, highest);
  }
}

OCTAVO_INT16_INLINE __m512 BlockPower(__m512 x) {
  const __m512 rounder = _mm512_set1_ps(12583039.0f);
  const __m512 clamped = _mm512_max_ps(_mm512_set1_ps(-127.0f), x);
  const __m512 rounded = _mm512_add_ps(clamped, rounder);
  const __m512 r = _mm512_sub_ps(clamped, _mm512_sub_ps(rounded, rounder));
  __m512 p = _mm512_fmadd_ps(_mm512_set1_ps(0x1.41fbbcp-13f), r, _mm512_set1_ps(0x1.5f3e54p-10f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.3b2d4cp-7f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.c6aee8p-5f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.ebfbdcp-3f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0x1.62e430p-1f));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0f));
  return _mm512_mul_ps(p, _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(rounded), 23)));
}

// Sixteen scores to integers of 16 bits in the low half of each lane; the upper half is anything.
OCTAVO_INT16_INLINE __m512i IntegerPowers(const int32_t* scores, __m512 scale, __m512 highest) {
  const __m512 magic = _mm512_set1_ps(kMagic);
  __m512 x = _mm512_cvtepi32_ps(_mm512_loadu_si512(scores));
  x = _mm512_fmadd_ps(_mm512_sub_ps(x, highest), scale, _mm512_set1_ps(kTop));
  x = _mm512_max_ps(x, _mm512_set1_ps(kBottom));
  const __m512 t = _mm512_add_ps(x, magic);
  const __m512 r = _mm512_reduce_ps(x, 0);  // x less the nearest even integer
  __m512 p = _mm512_fmadd_ps(r, _mm512_set1_ps(kPower[3]), _mm512_set1_ps(kPower[2]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kPower[1]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kPower[0]));
  const __m512i power =
      _mm512_add_epi32(_mm512_castps_si512(p), _mm512_slli_epi32(_mm512_castps_si512(t), 23));
  return _mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(power), _mm512_set1_ps(kIntegers)));
}

// Of each of 64 queries: by what its output so far, and what this block adds, are multiplied.
struct Factors {
  alignas(64) float correction[kInt16Lanes];
  alignas(64) float factor[kInt16Lanes];
};

// Scores become powers in place, [ceil(num_keys / 2)][64][2]; sums[lane] of them. Key by key, as
// the scores of all keys for a few queries fall on too few sets of the nearest cache.
OCTAVO_INT16_INLINE void ToPowers(const Int16Block& b, const __m512 (&scale)[kVecs],
                                  const __m512 (&highest)[kVecs], __m512i (&sums)[kVecs]) {
  const __m512i ones = _mm512_set1_epi16(1);
#pragma GCC unroll 4
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  int64_t k = 0;
  for (; k + 2 <= b.num_keys; k += 2) {
#pragma GCC unroll 4
    for (int i = 0; i < kVecs; ++i) {
      const int32_t* scores = b.scores + k * kInt16Lanes + 16 * i;
      const __m512i even = IntegerPowers(scores, scale[i], highest[i]);
      const __m512i odd = IntegerPowers(scores + kInt16Lanes, scale[i], highest[i]);
      const __m512i pair = _mm512_mask_blend_epi16(0xAAAAAAAAu, even, _mm512_slli_epi32(odd, 16));
      sums[i] = AddPairs(sums[i], pair, ones);
      _mm512_storeu_si512(b.scores + k / 2 * kInt16Lanes + 16 * i, pair);
    }
  }
  if (k == b.num_keys) return;
#pragma GCC unroll 4
  for (int i = 0; i < kVecs; ++i) {
    const __m512i last =
        _mm512_and_si512(IntegerPowers(b.scores + k * kInt16Lanes + 16 * i, scale[i], highest[i]),
                         _mm512_set1_epi32(0xFFFF));
    sums[i] = _mm512_add_epi32(sums[i], last);
    _mm512_storeu_si512(b.scores + k / 2 * kInt16Lanes + 16 * i, last);
  }
}

// Turns scores to powers and moves maximum and sum on.
void Powers(const Int16Block& b, const __m512i* highest_score, Factors* factors) {
  __m512 scale[kVecs];
  __m512 highest[kVecs];
  __m512i sums[kVecs];
#pragma GCC unroll 4
  for (int i = 0; i < kVecs; ++i) {
    scale[i] = _mm512_mul_ps(_mm512_loadu_ps(b.query_scales + 16 * i), _mm512_set1_ps(b.key_scale));
    highest[i] = _mm512_cvtepi32_ps(highest_score[i]);
  }
  ToPowers(b, scale, highest, sums);
#pragma GCC unroll 4
  for (int i = 0; i < kVecs; ++i) {
    const int lane = 16 * i;
    const __m512 block_maximum = _mm512_mul_ps(highest[i], scale[i]);
    const __m512 before = _mm512_loadu_ps(b.maximum + lane);
    const __m512 maximum = _mm512_max_ps(before, block_maximum);
    const __m512 correction = BlockPower(_mm512_sub_ps(before, maximum));
    const __m512 factor = BlockPower(_mm512_sub_ps(block_maximum, maximum));
    _mm512_storeu_ps(b.maximum + lane, maximum);
    _mm512_store_ps(factors->correction + lane, correction);
    _mm512_store_ps(factors->factor + lane, factor);
    const __m512 sum = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[i]), factor);
    _mm512_storeu_ps(b.sum + lane, _mm512_fmadd_ps(_mm512_loadu_ps(b.sum + lane), correction, sum));
  }
}

// Some channels of the output, over all keys of the block.
template <int kRows>
__attribute__((noinline)) void JoinChannels(const Int16Block& b, int64_t channel,
                                            const Factors& factors) {
  Sums<kRows> sums;
  SumPairs<kRows>(b.values + channel * kInt16Keys, kInt16Keys, b.scores, (b.num_keys + 1) / 2,
                  sums);
  float* output = b.output + channel * kInt16Lanes;
#pragma GCC unroll 4
  for (int i = 0; i < kVecs; ++i) {
    const __m512 correction = _mm512_load_ps(factors.correction + 16 * i);
    const __m512 factor = _mm512_load_ps(factors.factor + 16 * i);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      float* out = output + r * kInt16Lanes + 16 * i;
      const __m512 added = _mm512_mul_ps(_mm512_cvtepi32_ps(sums[r][i]), factor);
      _mm512_storeu_ps(out, _mm512_fmadd_ps(_mm512_loadu_ps(out), correction, added));
    }
  }
}

void Attend(const Int16Block& b) {
  __m512i highest[kVecs];
  for (__m512i& most : highest) most = _mm512_set1_epi32(INT32_MIN);
  Scores(b, highest);
  Factors factors;
  Powers(b, highest, &factors);
  int64_t c = 0;
  for (; c + kTileChannels <= b.dim; c += kTileChannels) JoinChannels<kTileChannels>(b, c, factors);
  for (; c < b.dim; ++c) JoinChannels<1>(b, c, factors);
  _mm256_zeroupper();
}

constexpr AttentionInt16Kernels Kernels() {
  AttentionInt16Kernels k = int16_avx2::Kernels();
  k.is_preferred = true;
  k.attend = Attend;
  return k;
}

}  // namespace int16_avx512
}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_ATTENTION_INT16_AVX512_INL_H_
