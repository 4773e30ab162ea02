// The Vec vocabulary with AVX2, FMA and F16C: eight lanes. See vec_scalar.h for the meanings.
#ifndef OCTAVO_KERNELS_VEC_AVX2_H_
#define OCTAVO_KERNELS_VEC_AVX2_H_

#include <immintrin.h>

#include <cstdint>

#define OCTAVO_INLINE inline __attribute__((always_inline))

namespace octavo {
namespace {

using Vec = __m256;
constexpr int kLanes = 8;
constexpr int kAccumulators = 12;

OCTAVO_INLINE Vec Zero() { return _mm256_setzero_ps(); }
OCTAVO_INLINE Vec Set(float x) { return _mm256_set1_ps(x); }
OCTAVO_INLINE Vec Load(const float* p) { return _mm256_loadu_ps(p); }
OCTAVO_INLINE void Store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
OCTAVO_INLINE __m256i FirstLanes(int64_t n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
OCTAVO_INLINE Vec LoadN(const float* p, int64_t n) { return _mm256_maskload_ps(p, FirstLanes(n)); }
OCTAVO_INLINE void StoreN(float* p, Vec v, int64_t n) { _mm256_maskstore_ps(p, FirstLanes(n), v); }

OCTAVO_INLINE Vec Add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
OCTAVO_INLINE Vec Sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
OCTAVO_INLINE Vec Mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
OCTAVO_INLINE Vec Div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
OCTAVO_INLINE Vec Fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
OCTAVO_INLINE Vec Max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
OCTAVO_INLINE Vec Min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
OCTAVO_INLINE Vec Abs(Vec a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
OCTAVO_INLINE Vec IfLess(Vec a, Vec b, Vec yes, Vec no) {
  return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}
OCTAVO_INLINE Vec SquareRoot(Vec a) { return _mm256_sqrt_ps(a); }
OCTAVO_INLINE Vec LowBitsToExponent(Vec a) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(a), 23));
}
OCTAVO_INLINE float SumLanes(Vec a) {
  __m128 v = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  v = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)));
}
OCTAVO_INLINE float MaxLanes(Vec a) {
  __m128 v = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  v = _mm_max_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_max_ss(v, _mm_movehdup_ps(v)));
}

OCTAVO_INLINE Vec WidenF16(const uint16_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
OCTAVO_INLINE Vec WidenBF16(const uint16_t* p) {
  const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}
OCTAVO_INLINE Vec WidenI8(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
}
OCTAVO_INLINE __m256i LoadPairs(const uint16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
OCTAVO_INLINE Vec WidenEven(const uint16_t* p) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(LoadPairs(p), 16));
}
OCTAVO_INLINE Vec WidenOdd(const uint16_t* p) {
  return _mm256_castsi256_ps(
      _mm256_and_si256(LoadPairs(p), _mm256_set1_epi32(static_cast<int>(0xFFFF0000u))));
}
OCTAVO_INLINE Vec RoundBF16(Vec v) {
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
  return _mm256_castsi256_ps(_mm256_and_si256(_mm256_blendv_epi8(rounded, quiet, nan),
                                              _mm256_set1_epi32(static_cast<int>(0xFFFF0000u))));
}
OCTAVO_INLINE void StoreUpperHalves(uint16_t* p, Vec v) {
  const __m256i halves = _mm256_srli_epi32(_mm256_castps_si256(v), 16);
  const __m256i packed = _mm256_packus_epi32(halves, halves);
  const __m256i ordered = _mm256_permute4x64_epi64(packed, 0x08);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_castsi256_si128(ordered));
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_VEC_AVX2_H_
