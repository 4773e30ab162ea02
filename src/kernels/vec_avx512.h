// The Vec vocabulary with AVX-512 F, BW, VL and DQ: sixteen lanes. See vec_scalar.h for the
// meanings.
#ifndef OCTAVO_KERNELS_VEC_AVX512_H_
#define OCTAVO_KERNELS_VEC_AVX512_H_

#include <immintrin.h>

#include <cstdint>

#define OCTAVO_INLINE inline __attribute__((always_inline))

namespace octavo {
namespace {

using Vec = __m512;
constexpr int kLanes = 16;
constexpr int kAccumulators = 24;

OCTAVO_INLINE Vec Zero() { return _mm512_setzero_ps(); }
OCTAVO_INLINE Vec Set(float x) { return _mm512_set1_ps(x); }
OCTAVO_INLINE Vec Load(const float* p) { return _mm512_loadu_ps(p); }
OCTAVO_INLINE void Store(float* p, Vec v) { _mm512_storeu_ps(p, v); }
OCTAVO_INLINE __mmask16 FirstLanes(int64_t n) { return static_cast<__mmask16>((1u << n) - 1u); }
OCTAVO_INLINE Vec LoadN(const float* p, int64_t n) {
  return _mm512_maskz_loadu_ps(FirstLanes(n), p);
}
OCTAVO_INLINE void StoreN(float* p, Vec v, int64_t n) {
  _mm512_mask_storeu_ps(p, FirstLanes(n), v);
}

OCTAVO_INLINE Vec Add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
OCTAVO_INLINE Vec Sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
OCTAVO_INLINE Vec Mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
OCTAVO_INLINE Vec Div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
OCTAVO_INLINE Vec Fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
OCTAVO_INLINE Vec Max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
OCTAVO_INLINE Vec Min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
OCTAVO_INLINE Vec Abs(Vec a) { return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a); }
OCTAVO_INLINE Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}
OCTAVO_INLINE Vec SquareRoot(Vec a) { return _mm512_sqrt_ps(a); }
OCTAVO_INLINE Vec LowBitsToExponent(Vec a) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(a), 23));
}
OCTAVO_INLINE float SumLanes(Vec a) { return _mm512_reduce_add_ps(a); }
OCTAVO_INLINE float MaxLanes(Vec a) { return _mm512_reduce_max_ps(a); }

OCTAVO_INLINE Vec WidenF16(const uint16_t* p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
}
OCTAVO_INLINE Vec WidenBF16(const uint16_t* p) {
  const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}
OCTAVO_INLINE Vec WidenI8(const int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}
OCTAVO_INLINE Vec WidenEven(const uint16_t* p) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(p), 16));
}
OCTAVO_INLINE Vec WidenOdd(const uint16_t* p) {
  return _mm512_castsi512_ps(
      _mm512_and_si512(_mm512_loadu_si512(p), _mm512_set1_epi32(static_cast<int>(0xFFFF0000u))));
}
OCTAVO_INLINE Vec RoundBF16(Vec v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
  const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
  const __mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  return _mm512_castsi512_ps(_mm512_and_si512(_mm512_mask_blend_epi32(nan, rounded, quiet),
                                              _mm512_set1_epi32(static_cast<int>(0xFFFF0000u))));
}
OCTAVO_INLINE void StoreUpperHalves(uint16_t* p, Vec v) {
  const __m512i halves = _mm512_srli_epi32(_mm512_castps_si512(v), 16);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(halves));
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_VEC_AVX512_H_
