// Registers of 256 bits for packed_dot-inl.h, two for a line.
#ifndef OCTAVO_KERNELS_PACKED_DOT256_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT256_INL_H_

#include <immintrin.h>

#include "kernels/packed_dot_forms-inl.h"

namespace octavo {
namespace {

struct Lines256 {
  using Reg = __m256i;
  using Floats = __m256;
  using Mask = __m256i;
  static constexpr int kRegisters = 2;
  static constexpr int kTileRows = 6;
  static constexpr int kTilePanels = 1;
  static constexpr int kPassRows = 4;
  static constexpr int kStreamRowsA16 = kPassRows;  // unpacking costs more than a second pass

  static OCTAVO_INLINE Reg Load(const uint8_t* p) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
  }
  static OCTAVO_INLINE void Store(uint8_t* p, Reg a) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), a);
  }
  static OCTAVO_INLINE Reg Zero() { return _mm256_setzero_si256(); }
  static OCTAVO_INLINE Reg Sum(Reg a, Reg b) { return _mm256_add_epi32(a, b); }
  static OCTAVO_INLINE Reg Broadcast(const uint8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof(four));
    return _mm256_set1_epi32(four);
  }

  static OCTAVO_INLINE Reg Bytes(char x) { return _mm256_set1_epi8(x); }
  static OCTAVO_INLINE Reg Halves(int16_t x) { return _mm256_set1_epi16(x); }
  static OCTAVO_INLINE Reg And(Reg a, Reg b) { return _mm256_and_si256(a, b); }
  static OCTAVO_INLINE Reg Xor(Reg a, Reg b) { return _mm256_xor_si256(a, b); }
  static OCTAVO_INLINE Reg Sub(Reg a, Reg b) { return _mm256_sub_epi16(a, b); }
  template <int kCount>
  static OCTAVO_INLINE Reg ShiftRight(Reg a) {
    return _mm256_srli_epi16(a, kCount);
  }
  static OCTAVO_INLINE Reg LowBytes(Reg a) { return _mm256_srai_epi16(_mm256_slli_epi16(a, 8), 8); }
  static OCTAVO_INLINE Reg HighBytes(Reg a) { return _mm256_srai_epi16(a, 8); }
  template <int kBits>
  static OCTAVO_INLINE Reg ZerosTwice(const std::byte* p) {
    const __m128i zeros = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
    const Reg wide = kBits == 4 ? _mm256_cvtepu8_epi32(zeros) : _mm256_cvtepi8_epi32(zeros);
    return _mm256_or_si256(_mm256_slli_epi32(wide, 16), And(wide, _mm256_set1_epi32(0xFFFF)));
  }

  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm256_load_ps(p); }
  static OCTAVO_INLINE Floats ToFloats(Reg a) { return _mm256_cvtepi32_ps(a); }
  static OCTAVO_INLINE Floats MultiplyAdd(Floats a, float b, Floats c) {
    return _mm256_fmadd_ps(a, _mm256_set1_ps(b), c);
  }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return _mm256_set1_epi32(yes ? -1 : 0); }
  static OCTAVO_INLINE void AddScaled(Floats dot, Floats scale, float group_scale, Mask mask,
                                      float* out) {
    const __m256 both = _mm256_mul_ps(scale, _mm256_set1_ps(group_scale));
    _mm256_storeu_ps(out, _mm256_fmadd_ps(dot, both, _mm256_maskload_ps(out, mask)));
  }
};

// Pairs of 16 bits by vpmaddwd and vpaddd, as every processor with AVX2 has them.
struct MaddPairs {
  static OCTAVO_INLINE __m256i Add(__m256i sums, __m256i w, __m256i x) {
    __m256i pairs;
    asm("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sums), "=&x"(pairs) : "x"(w), "x"(x));
    return sums;
  }
};

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT256_INL_H_
