// Attention in 16-bit integers with vpmaddwd, or with AVX-VNNI's vpdpwssd: 64 queries are eight
// registers of 32-bit sums.
//
// Both products walk pairs: a pair of one operand is broadcast, the other comes from memory in the
// multiply-add itself, so that a step of 8 registers is 17 instructions. On processors whose fetch
// is shared with a sibling thread the number of instructions is what counts.
#ifndef OCTAVO_KERNELS_ATTENTION_INT16_AVX2_INL_H_
#define OCTAVO_KERNELS_ATTENTION_INT16_AVX2_INL_H_

#include <immintrin.h>

#include "kernels/attention_int16-inl.h"

// Inner loops as text: g++ 12 keeps the eight sums in memory when they are written as intrinsics.
// ymm0-7 sums, ymm8-14 products, ymm15 the broadcast pair.
// clang-format off
#define OCTAVO_I16_FIRST(offset, sum) \
  "vpmaddwd " #offset "(%[lanes]), %%ymm15, %%ymm" #sum "\n\t"
#if defined(__AVXVNNI__)  // both in one instruction
#define OCTAVO_I16_NEXT(offset, product, sum) \
  "%{vex%} vpdpwssd " #offset "(%[lanes]), %%ymm15, %%ymm" #sum "\n\t"
#else
#define OCTAVO_I16_NEXT(offset, product, sum) \
  "vpmaddwd " #offset "(%[lanes]), %%ymm15, %%ymm" #product "\n\t" \
  "vpaddd %%ymm" #product ", %%ymm" #sum ", %%ymm" #sum "\n\t"
#endif
#define OCTAVO_I16_PAIR(p) "vpbroadcastd " #p "*4(%[pairs]), %%ymm15\n\t"
#define OCTAVO_I16_FIRST_STEP \
  OCTAVO_I16_PAIR(0) \
  OCTAVO_I16_FIRST(0, 0) OCTAVO_I16_FIRST(32, 1) OCTAVO_I16_FIRST(64, 2) OCTAVO_I16_FIRST(96, 3) \
  OCTAVO_I16_FIRST(128, 4) OCTAVO_I16_FIRST(160, 5) OCTAVO_I16_FIRST(192, 6) OCTAVO_I16_FIRST(224, 7)
// NOLINTBEGIN(bugprone-macro-parentheses): operands of the assembler
#define OCTAVO_I16_STEP(p) \
  OCTAVO_I16_PAIR(p) \
  OCTAVO_I16_NEXT(p * 256, 8, 0) OCTAVO_I16_NEXT(p * 256 + 32, 9, 1) \
  OCTAVO_I16_NEXT(p * 256 + 64, 10, 2) OCTAVO_I16_NEXT(p * 256 + 96, 11, 3) \
  OCTAVO_I16_NEXT(p * 256 + 128, 12, 4) OCTAVO_I16_NEXT(p * 256 + 160, 13, 5) \
  OCTAVO_I16_NEXT(p * 256 + 192, 14, 6) OCTAVO_I16_NEXT(p * 256 + 224, 8, 7)
// NOLINTEND(bugprone-macro-parentheses)
// The sums of 4 * fours pairs; fours >= 1.
#define OCTAVO_I16_SUMS \
  OCTAVO_I16_FIRST_STEP OCTAVO_I16_STEP(1) OCTAVO_I16_STEP(2) OCTAVO_I16_STEP(3) \
  "dec %[fours]\n\t" \
  "jz 2f\n\t" \
  ".p2align 4\n" \
  "1:\n\t" \
  "add $1024, %[lanes]\n\t" \
  "add $16, %[pairs]\n\t" \
  OCTAVO_I16_STEP(0) OCTAVO_I16_STEP(1) OCTAVO_I16_STEP(2) OCTAVO_I16_STEP(3) \
  "dec %[fours]\n\t" \
  "jnz 1b\n" \
  "2:\n\t"
#define OCTAVO_I16_EIGHT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
#define OCTAVO_I16_STORE(i) "vmovdqu %%ymm" #i ", " #i "*32(%[sums])\n\t"
// output = output * correction + sum * factor
#define OCTAVO_I16_JOIN(i) \
  "vcvtdq2ps %%ymm" #i ", %%ymm" #i "\n\t" \
  "vmulps " #i "*32(%[factor]), %%ymm" #i ", %%ymm" #i "\n\t" \
  "vmovups " #i "*32(%[output]), %%ymm8\n\t" \
  "vfmadd132ps " #i "*32(%[correction]), %%ymm" #i ", %%ymm8\n\t" \
  "vmovups %%ymm8, " #i "*32(%[output])\n\t"
#define OCTAVO_I16_CLOBBERS \
  "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
// clang-format on

namespace octavo {
namespace {
namespace int16_avx2 {

using int16_attention::kBottom;
using int16_attention::kIntegers;
using int16_attention::kMagic;
using int16_attention::kPower;
using int16_attention::kTop;

constexpr int64_t kVecs = kInt16Lanes / 8;
constexpr int64_t kAhead = 8;  // rows, which lie pages apart, fetched before they are read

// scores[64] of one key.
OCTAVO_INT16_INLINE void ScoresOfKey(const int16_t* key, const int16_t* queries, int64_t fours,
                                     int32_t* scores) {
  asm volatile(OCTAVO_I16_SUMS OCTAVO_I16_EIGHT(OCTAVO_I16_STORE)
               : [pairs] "+r"(key), [lanes] "+r"(queries), [fours] "+r"(fours)
               : [sums] "r"(scores)
               : OCTAVO_I16_CLOBBERS);
}

// One channel of the output, over all keys of the block.
OCTAVO_INT16_INLINE void JoinChannel(const int16_t* values, const int32_t* powers, int64_t fours,
                                     const float* correction, const float* factor, float* output) {
  asm volatile(OCTAVO_I16_SUMS OCTAVO_I16_EIGHT(OCTAVO_I16_JOIN)
               : [pairs] "+r"(values), [lanes] "+r"(powers), [fours] "+r"(fours)
               : [correction] "r"(correction), [factor] "r"(factor), [output] "r"(output)
               : OCTAVO_I16_CLOBBERS);
}

OCTAVO_INT16_INLINE __m256 BlockPower(__m256 x) {
  const __m256 rounder = _mm256_set1_ps(12583039.0f);
  const __m256 clamped = _mm256_max_ps(_mm256_set1_ps(-127.0f), x);
  const __m256 rounded = _mm256_add_ps(clamped, rounder);
  const __m256 r = _mm256_sub_ps(clamped, _mm256_sub_ps(rounded, rounder));
  __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(0x1.41fbbcp-13f), r, _mm256_set1_ps(0x1.5f3e54p-10f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.3b2d4cp-7f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.c6aee8p-5f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.ebfbdcp-3f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0x1.62e430p-1f));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0f));
  return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(rounded), 23)));
}

// Eight scores to integers of 16 bits in the low half of each lane; the upper half is anything.
OCTAVO_INT16_INLINE __m256i IntegerPowers(const int32_t* scores, __m256 scale, __m256 highest) {
  const __m256 magic = _mm256_set1_ps(kMagic);
  __m256 x = _mm256_cvtepi32_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores)));
  x = _mm256_fmadd_ps(_mm256_sub_ps(x, highest), scale, _mm256_set1_ps(kTop));
  x = _mm256_max_ps(x, _mm256_set1_ps(kBottom));
  const __m256 t = _mm256_add_ps(x, magic);
  const __m256 r = _mm256_sub_ps(x, _mm256_sub_ps(t, magic));
  __m256 p = _mm256_fmadd_ps(r, _mm256_set1_ps(kPower[3]), _mm256_set1_ps(kPower[2]));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kPower[1]));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(kPower[0]));
  const __m256i power =
      _mm256_add_epi32(_mm256_castps_si256(p), _mm256_slli_epi32(_mm256_castps_si256(t), 23));
  return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(power), _mm256_set1_ps(kIntegers)));
}

// Scores of eight queries become powers in place, [num_keys / 2][64][2] up to a multiple of 8 keys.
// Returns their sums.
OCTAVO_INT16_INLINE __m256i ToPowers(int32_t* scores, int64_t num_keys, __m256 scale,
                                     __m256 highest) {
  const __m256i ones = _mm256_set1_epi16(1);
  const auto at = [scores](int64_t row) {
    return reinterpret_cast<__m256i*>(scores + row * kInt16Lanes);
  };
  __m256i sum = _mm256_setzero_si256();
  int64_t k = 0;
  for (; k + 2 <= num_keys; k += 2) {
    const __m256i even = IntegerPowers(scores + k * kInt16Lanes, scale, highest);
    const __m256i odd = IntegerPowers(scores + (k + 1) * kInt16Lanes, scale, highest);
    const __m256i pair = _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xAA);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pair, ones));
    _mm256_storeu_si256(at(k / 2), pair);
  }
  if (k < num_keys) {
    const __m256i pair = _mm256_and_si256(IntegerPowers(scores + k * kInt16Lanes, scale, highest),
                                          _mm256_set1_epi32(0xFFFF));
    sum = _mm256_add_epi32(sum, pair);
    _mm256_storeu_si256(at(k / 2), pair);
    k += 2;
  }
  for (; k % 8 != 0; k += 2) _mm256_storeu_si256(at(k / 2), _mm256_setzero_si256());
  return sum;
}

OCTAVO_INT16_INLINE __m256i HighestScores(const int32_t* scores, int64_t num_keys) {
  const auto at = [scores](int64_t row) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores + row * kInt16Lanes));
  };
  __m256i a = at(0);
  __m256i b = a;
  int64_t k = 1;
  for (; k + 4 <= num_keys; k += 4) {
    a = _mm256_max_epi32(_mm256_max_epi32(a, at(k)), at(k + 1));
    b = _mm256_max_epi32(_mm256_max_epi32(b, at(k + 2)), at(k + 3));
  }
  for (; k < num_keys; ++k) a = _mm256_max_epi32(a, at(k));
  return _mm256_max_epi32(a, b);
}

void Attend(const Int16Block& b) {
  const int64_t padded = Int16Dim(b.dim);
  for (int64_t k = 0; k < b.num_keys; ++k) {
    ScoresOfKey(b.keys + k * padded, b.queries, padded / 8, b.scores + k * kInt16Lanes);
  }
  alignas(32) float correction[kInt16Lanes];
  alignas(32) float factor[kInt16Lanes];
  const __m256 key_scale = _mm256_set1_ps(b.key_scale);
  for (int64_t i = 0; i < kInt16Lanes; i += 8) {
    const __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(b.query_scales + i), key_scale);
    const __m256 highest = _mm256_cvtepi32_ps(HighestScores(b.scores + i, b.num_keys));
    const __m256 block_maximum = _mm256_mul_ps(highest, scale);
    const __m256 before = _mm256_loadu_ps(b.maximum + i);
    const __m256 maximum = _mm256_max_ps(before, block_maximum);
    const __m256 c = BlockPower(_mm256_sub_ps(before, maximum));
    const __m256 f = BlockPower(_mm256_sub_ps(block_maximum, maximum));
    _mm256_storeu_ps(b.maximum + i, maximum);
    _mm256_store_ps(correction + i, c);
    _mm256_store_ps(factor + i, f);
    const __m256 sum = _mm256_cvtepi32_ps(ToPowers(b.scores + i, b.num_keys, scale, highest));
    _mm256_storeu_ps(b.sum + i,
                     _mm256_fmadd_ps(_mm256_loadu_ps(b.sum + i), c, _mm256_mul_ps(sum, f)));
  }
  for (int64_t c = 0; c < b.dim; ++c) {
    JoinChannel(b.values + c * kInt16Keys, b.scores, (b.num_keys + 7) / 8, correction, factor,
                b.output + c * kInt16Lanes);
  }
  _mm256_zeroupper();
}

// ---- packing ----

OCTAVO_INT16_INLINE __m256i FirstOf8(int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n < 8 ? n : 8)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Numbers c to c + 7 of a row of `dim`; zero past its end.
OCTAVO_INT16_INLINE __m256 Load8(const float* row, int64_t c, int64_t dim) {
  if (c + 8 <= dim) return _mm256_loadu_ps(row + c);
  return _mm256_maskload_ps(row + c, FirstOf8(dim - c));
}

OCTAVO_INT16_INLINE void Store8(float* row, int64_t c, int64_t dim, __m256 x) {
  if (c + 8 <= dim) {
    _mm256_storeu_ps(row + c, x);
  } else {
    _mm256_maskstore_ps(row + c, FirstOf8(dim - c), x);
  }
}

OCTAVO_INT16_INLINE void FetchRow(const HeadRows& x, int64_t row) {
  if (row >= x.rows) return;
  const float* p = x.data + row * x.stride;
  for (int64_t c = 0; c < x.dim; c += 16) __builtin_prefetch(p + c);
}

OCTAVO_INT16_INLINE __m256i SizeBits(__m256 x) {
  return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7FFFFFFF));
}

OCTAVO_INT16_INLINE float HighestOf8(__m256i bits) {
  __m128i v = _mm_max_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
  v = _mm_max_epi32(v, _mm_shuffle_epi32(v, 0x4E));
  v = _mm_max_epi32(v, _mm_shuffle_epi32(v, 0xB1));
  return __builtin_bit_cast(float, _mm_cvtsi128_si32(v));
}

// Within +-range, NaN as -range; to the nearest even integer.
OCTAVO_INT16_INLINE __m256i ToIntegers(__m256 x, __m256 range) {
  const __m256 low = _mm256_sub_ps(_mm256_setzero_ps(), range);
  return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(x, low), range));
}

// Eight rows of eight dwords, rows to columns.
OCTAVO_INT16_INLINE void Transpose8x8(__m256i (&m)[8]) {
  __m256i t[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_epi32(m[i], m[i + 1]);
    t[i + 1] = _mm256_unpackhi_epi32(m[i], m[i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
    m[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
    m[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
    m[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
    m[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const __m256i low = _mm256_permute2x128_si256(m[i], m[i + 4], 0x20);
    m[i + 4] = _mm256_permute2x128_si256(m[i], m[i + 4], 0x31);
    m[i] = low;
  }
}

void SumRows(const HeadRows& x, float* sums) {
  for (int64_t c = 0; c < x.dim; ++c) sums[c] = 0;
  for (int64_t r = 0; r < x.rows; ++r) {
    FetchRow(x, r + kAhead);
    for (int64_t c = 0; c < x.dim; c += 8) {
      const __m256 sum =
          _mm256_add_ps(Load8(sums, c, x.dim), Load8(x.data + r * x.stride, c, x.dim));
      Store8(sums, c, x.dim, sum);
    }
  }
}

void LargestOfRows(const HeadRows& x, float* largest) {
  for (int64_t c = 0; c < x.dim; ++c) largest[c] = 0;
  for (int64_t r = 0; r < x.rows; ++r) {
    FetchRow(x, r + kAhead);
    for (int64_t c = 0; c < x.dim; c += 8) {
      const __m256i size = SizeBits(Load8(x.data + r * x.stride, c, x.dim));
      const __m256i so_far = _mm256_castps_si256(Load8(largest, c, x.dim));
      Store8(largest, c, x.dim, _mm256_castsi256_ps(_mm256_max_epi32(size, so_far)));
    }
  }
}

void PackKeys(const HeadRows& k, const float* mean, int16_t* keys, float* scale) {
  const int64_t padded = Int16Dim(k.dim);
  const int64_t score_range = Int16ScoreRange(k.dim);
  __m256i largest = _mm256_setzero_si256();
  for (int64_t r = 0; r < k.rows; ++r) {
    FetchRow(k, r + kAhead);
    for (int64_t c = 0; c < k.dim; c += 8) {
      const __m256 x = _mm256_sub_ps(Load8(k.data + r * k.stride, c, k.dim), Load8(mean, c, k.dim));
      largest = _mm256_max_epi32(largest, SizeBits(x));
    }
  }
  const Int16Scale s = Int16ScaleOf(HighestOf8(largest), score_range);
  *scale = s.scale;
  const __m256 inverse = _mm256_set1_ps(s.inverse);
  const __m256 range = _mm256_set1_ps(static_cast<float>(score_range));
  for (int64_t r = 0; r < k.rows; ++r) {
    for (int64_t c = 0; c < padded; c += 8) {
      const __m256 x = _mm256_sub_ps(Load8(k.data + r * k.stride, c, k.dim), Load8(mean, c, k.dim));
      const __m256i q = ToIntegers(_mm256_mul_ps(x, inverse), range);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(keys + r * padded + c),
                       _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1)));
    }
  }
}

void PackValues(const HeadRows& v, const float* inverse, int16_t* values) {
  const __m256 range = _mm256_set1_ps(static_cast<float>(kInt16ValueRange));
  const auto row = [&v, &inverse, range](int64_t r, int64_t c) {
    if (r >= v.rows) return _mm256_setzero_si256();
    const __m256 x = Load8(v.data + r * v.stride, c, v.dim);
    return ToIntegers(_mm256_mul_ps(x, Load8(inverse, c, v.dim)), range);
  };
  for (int64_t r = 0; r < v.rows; r += 16) {
    for (int64_t i = 0; i < 16; ++i) FetchRow(v, r + 16 + i);
    for (int64_t c = 0; c < v.dim; c += 8) {
      __m256i pairs[8];
      for (int64_t i = 0; i < 8; ++i) {
        pairs[i] = _mm256_blend_epi16(row(r + 2 * i, c),
                                      _mm256_slli_epi32(row(r + 2 * i + 1, c), 16), 0xAA);
      }
      Transpose8x8(pairs);
      for (int64_t i = 0; i < 8 && c + i < v.dim; ++i) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + (c + i) * kInt16Keys + r),
                            pairs[i]);
      }
    }
  }
}

void PackQueries(const HeadRows& q, float scale, int16_t* queries, float* scales) {
  const int64_t padded = Int16Dim(q.dim);
  const int64_t score_range = Int16ScoreRange(q.dim);
  float inverse[kInt16Lanes];
  for (int64_t r = 0; r < kInt16Lanes; ++r) {
    __m256i largest = _mm256_setzero_si256();
    for (int64_t c = 0; r < q.rows && c < q.dim; c += 8) {
      largest = _mm256_max_epi32(largest, SizeBits(Load8(q.data + r * q.stride, c, q.dim)));
    }
    const Int16Scale s = Int16ScaleOf(HighestOf8(largest), score_range);
    scales[r] = s.scale * scale;
    inverse[r] = s.inverse;
  }
  const __m256 range = _mm256_set1_ps(static_cast<float>(score_range));
  const auto row = [&q, &inverse, range](int64_t r, int64_t c) {
    if (r >= q.rows || c >= q.dim) return _mm256_setzero_si256();
    const __m256 x = Load8(q.data + r * q.stride, c, q.dim);
    return ToIntegers(_mm256_mul_ps(x, _mm256_set1_ps(inverse[r])), range);
  };
  for (int64_t r = 0; r < kInt16Lanes; r += 8) {
    for (int64_t c = 0; c < padded; c += 16) {
      __m256i pairs[8];  // of channels
      for (int64_t i = 0; i < 8; ++i) {
        // packs takes halves of both in turn: 0-3, 8-11, 4-7, 12-15.
        pairs[i] =
            _mm256_permute4x64_epi64(_mm256_packs_epi32(row(r + i, c), row(r + i, c + 8)), 0xD8);
      }
      Transpose8x8(pairs);
      for (int64_t i = 0; i < 8 && c + 2 * i < padded; ++i) {
        _mm256_storeu_si256(
            reinterpret_cast<__m256i*>(queries + ((c / 2 + i) * kInt16Lanes + r) * 2), pairs[i]);
      }
    }
  }
}

void Finish(const Int16Block& b, const float* value_scale, int64_t rows, float* out,
            int64_t out_stride) {
  for (int64_t r = 0; r < rows; r += 8) {
    const __m256 share = _mm256_div_ps(_mm256_set1_ps(1.0f), _mm256_loadu_ps(b.sum + r));
    for (int64_t c = 0; c < b.dim; c += 8) {
      __m256i m[8];
      for (int64_t i = 0; i < 8; ++i) {
        m[i] = _mm256_setzero_si256();
        if (c + i >= b.dim) continue;
        const __m256 x = _mm256_loadu_ps(b.output + (c + i) * kInt16Lanes + r);
        m[i] = _mm256_castps_si256(
            _mm256_mul_ps(_mm256_mul_ps(x, share), _mm256_set1_ps(value_scale[c + i])));
      }
      Transpose8x8(m);
      for (int64_t i = 0; i < 8 && r + i < rows; ++i) {
        Store8(out + (r + i) * out_stride, c, b.dim, _mm256_castsi256_ps(m[i]));
      }
    }
  }
}

constexpr AttentionInt16Kernels Kernels() {
  AttentionInt16Kernels k = int16_attention::Kernels();
  k.sum_rows = SumRows;
  k.largest_of_rows = LargestOfRows;
  k.pack_keys = PackKeys;
  k.pack_values = PackValues;
  k.pack_queries = PackQueries;
  k.attend = Attend;
  k.finish = Finish;
  return k;
}

}  // namespace int16_avx2
}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_ATTENTION_INT16_AVX2_INL_H_
