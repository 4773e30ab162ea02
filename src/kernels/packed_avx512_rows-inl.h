// Rows of activations to 8 bits with AVX-512, for products that are summed in 32 bits: of a group's
// record they need the scale and the sum only. See packed-inl.h for the definition.
#ifndef OCTAVO_KERNELS_PACKED_AVX512_ROWS_INL_H_
#define OCTAVO_KERNELS_PACKED_AVX512_ROWS_INL_H_

#include <immintrin.h>

#include "kernels/packed-inl.h"

namespace octavo {
namespace {

// The greatest |x|, as bits; those of infinities and NaN are greater than all others.
OCTAVO_INLINE uint32_t GreatestMagnitude512(const float* x, int count) {
  const __m512i size = _mm512_set1_epi32(0x7FFFFFFF);
  __m512i greatest = _mm512_setzero_si512();
  for (int i = 0; i < count; i += 16) {
    const __m512i bits = _mm512_castps_si512(_mm512_loadu_ps(x + i));
    greatest = _mm512_max_epu32(greatest, _mm512_and_si512(bits, size));
  }
  return _mm512_reduce_max_epu32(greatest);
}

// Numbers divided by `scale`, rounded and cut to +-127; returns their sum.
OCTAVO_INLINE int32_t QuantizeGroup512(const float* x, int count, float scale, int8_t* q) {
  const __m512 divisor = _mm512_set1_ps(scale);
  const __m512i most = _mm512_set1_epi32(kActivationRange);
  const __m512i least = _mm512_set1_epi32(-kActivationRange);
  __m512i sum = _mm512_setzero_si512();
  for (int i = 0; i < count; i += 16) {
    const __m512i rounded = _mm512_cvtps_epi32(_mm512_div_ps(_mm512_loadu_ps(x + i), divisor));
    const __m512i cut = _mm512_max_epi32(_mm512_min_epi32(rounded, most), least);
    sum = _mm512_add_epi32(sum, cut);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(q + i), _mm512_cvtepi32_epi8(cut));
  }
  return _mm512_reduce_add_epi32(sum);
}

void QuantizeRow512(const float* x, int64_t k, int group_size, int8_t* q, ActivationGroup* groups) {
  for (int64_t begin = 0; begin < k; begin += group_size) {
    const float scale = ActivationScale(GreatestMagnitude512(x + begin, group_size));
    int32_t sum = 0;
    if (scale > 0) {
      sum = QuantizeGroup512(x + begin, group_size, scale, q + begin);
    } else {
      __builtin_memset(q + begin, 0, static_cast<size_t>(group_size));
    }
    *groups = {};
    groups->scale = scale;
    groups->sum = static_cast<float>(sum);
    ++groups;
  }
  _mm256_zeroupper();
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_AVX512_ROWS_INL_H_
