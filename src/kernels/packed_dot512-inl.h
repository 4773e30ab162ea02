// Registers of 512 bits for packed_dot-inl.h, one for a line: vpdpbusd and vpdpwssd.
#ifndef OCTAVO_KERNELS_PACKED_DOT512_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT512_INL_H_

#include <immintrin.h>

#include "kernels/packed_dot_forms-inl.h"

namespace octavo {
namespace {

struct Lines512 {
  using Reg = __m512i;
  using Floats = __m512;
  using Mask = __mmask16;
  static constexpr int kRegisters = 1;
  static constexpr int kTileRows = 12;
  static constexpr int kTilePanels = 2;
  static constexpr int kPassRows = 8;
  static constexpr int kStreamRowsA16 = 12;

  static OCTAVO_INLINE Reg Load(const uint8_t* p) { return _mm512_load_si512(p); }
  static OCTAVO_INLINE void Store(uint8_t* p, Reg a) { _mm512_store_si512(p, a); }
  static OCTAVO_INLINE Reg Zero() { return _mm512_setzero_si512(); }
  static OCTAVO_INLINE Reg Sum(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
  static OCTAVO_INLINE Reg Broadcast(const uint8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof(four));
    return _mm512_set1_epi32(four);
  }

  static OCTAVO_INLINE Reg Bytes(char x) { return _mm512_set1_epi8(x); }
  static OCTAVO_INLINE Reg Halves(int16_t x) { return _mm512_set1_epi16(x); }
  static OCTAVO_INLINE Reg And(Reg a, Reg b) { return _mm512_and_si512(a, b); }
  static OCTAVO_INLINE Reg Xor(Reg a, Reg b) { return _mm512_xor_si512(a, b); }
  static OCTAVO_INLINE Reg Sub(Reg a, Reg b) { return _mm512_sub_epi16(a, b); }
  template <int kCount>
  static OCTAVO_INLINE Reg ShiftRight(Reg a) {
    return _mm512_srli_epi16(a, kCount);
  }
  static OCTAVO_INLINE Reg LowBytes(Reg a) { return _mm512_srai_epi16(_mm512_slli_epi16(a, 8), 8); }
  static OCTAVO_INLINE Reg HighBytes(Reg a) { return _mm512_srai_epi16(a, 8); }
  template <int kBits>
  static OCTAVO_INLINE Reg ZerosTwice(const std::byte* p) {
    const __m128i zeros = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const Reg wide = kBits == 4 ? _mm512_cvtepu8_epi32(zeros) : _mm512_cvtepi8_epi32(zeros);
    return _mm512_or_si512(_mm512_slli_epi32(wide, 16), And(wide, _mm512_set1_epi32(0xFFFF)));
  }

  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm512_loadu_ps(p); }
  static OCTAVO_INLINE Floats ToFloats(Reg a) { return _mm512_cvtepi32_ps(a); }
  static OCTAVO_INLINE Floats MultiplyAdd(Floats a, float b, Floats c) {
    return _mm512_fmadd_ps(a, _mm512_set1_ps(b), c);
  }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return static_cast<Mask>(yes ? 0xFFFF : 0); }
  static OCTAVO_INLINE void AddScaled(Floats dot, Floats scale, float group_scale, Mask mask,
                                      float* out) {
    const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(group_scale));
    _mm512_storeu_ps(out, _mm512_fmadd_ps(dot, both, _mm512_maskz_loadu_ps(mask, out)));
  }
};

// As assembly: with the intrinsics g++ 12 moves sums from register to register.
struct Vpdpbusd512 {
  static OCTAVO_INLINE __m512i Add(__m512i sums, __m512i w, __m512i x) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
  }
};
struct Vpdpwssd512 {
  static OCTAVO_INLINE __m512i Add(__m512i sums, __m512i w, __m512i x) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
  }
};

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT512_INL_H_
