// The Dots of packed_dot-inl.h in registers of 512 bits, one for a line: vpdpbusd and vpdpwssd.
#ifndef OCTAVO_KERNELS_PACKED_DOT512_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT512_INL_H_

#include <immintrin.h>

#include "kernels/packed_gemm.h"

namespace octavo {
namespace {

struct Lines512 {
  using Reg = __m512i;
  using Floats = __m512;
  using Mask = __mmask16;
  static constexpr int kRegisters = 1;
  static constexpr int kTileRows = 12;
  static constexpr int kTilePanels = 2;
  static constexpr int kStreamRows = 12;
  static constexpr int kPassRows = 8;

  static OCTAVO_INLINE Reg Load(const uint8_t* p) { return _mm512_load_si512(p); }
  static OCTAVO_INLINE void Store(uint8_t* p, Reg a) { _mm512_store_si512(p, a); }
  static OCTAVO_INLINE Reg Zero() { return _mm512_setzero_si512(); }
  static OCTAVO_INLINE Reg Sum(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
  static OCTAVO_INLINE Reg Broadcast(const uint8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm512_loadu_ps(p); }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return static_cast<Mask>(yes ? 0xFFFF : 0); }
  static OCTAVO_INLINE void AddScaled(Floats dot, Floats scale, float group_scale, Mask mask,
                                      float* out) {
    const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(group_scale));
    _mm512_storeu_ps(out, _mm512_fmadd_ps(dot, both, _mm512_maskz_loadu_ps(mask, out)));
  }
};

// Activations of 8 bits. Bytes of weights are without sign: those of 8 bits have 128 added.
struct Dot512 : Lines512 {
  using Product = GemmPacked;
  using Group = ActivationGroup;
  struct Centre {};
  static constexpr int kLineK = 4;
  template <int kBits>
  static constexpr int kCentre = kBits == 4 ? 0 : -128;

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte*) {
    return {};
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, Centre, Reg (&lines)[2][kRegisters]) {
    if constexpr (kBits == 4) {
      const Reg halves = Load(w), low = _mm512_set1_epi8(15);
      lines[0][0] = _mm512_and_si512(halves, low);
      lines[1][0] = _mm512_and_si512(_mm512_srli_epi16(halves, 4), low);
    } else {
      lines[0][0] = _mm512_xor_si512(Load(w), _mm512_set1_epi8(-128));
      lines[1][0] = _mm512_xor_si512(Load(w + kGroupLineBytes), _mm512_set1_epi8(-128));
    }
  }
  // As assembly: with the intrinsic g++ 12 moves sums from register to register.
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
  }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats offset, const Group& group,
                                   Mask mask, float* out) {
    AddScaled(_mm512_fmadd_ps(offset, _mm512_set1_ps(group.sum), _mm512_cvtepi32_ps(sums)), scale,
              group.scale, mask, out);
  }
};

// Activations of 16 bits: weights are q - zero in pairs (k, k + 2) and (k + 1, k + 3).
struct Dot512A16 : Lines512 {
  using Product = GemmPackedA16;
  using Group = float;
  using Centre = Reg;  // zeros, each twice
  static constexpr int kLineK = 2;
  template <int kBits>
  static constexpr int kCentre = 0;  // not used

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte* side) {
    const __m128i zeros =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(side + kGroupZeroOffset));
    const Reg wide = kBits == 4 ? _mm512_cvtepu8_epi32(zeros) : _mm512_cvtepi8_epi32(zeros);
    return _mm512_or_si512(_mm512_slli_epi32(wide, 16),
                           _mm512_and_si512(wide, _mm512_set1_epi32(0xFFFF)));
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, Centre zeros, Reg (&lines)[4][kRegisters]) {
    if constexpr (kBits == 4) {
      const Reg v = Load(w), low = _mm512_set1_epi16(15);
      lines[0][0] = _mm512_sub_epi16(_mm512_and_si512(v, low), zeros);
      lines[1][0] = _mm512_sub_epi16(_mm512_and_si512(_mm512_srli_epi16(v, 8), low), zeros);
      lines[2][0] = _mm512_sub_epi16(_mm512_and_si512(_mm512_srli_epi16(v, 4), low), zeros);
      lines[3][0] = _mm512_sub_epi16(_mm512_srli_epi16(v, 12), zeros);
    } else {
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        const Reg v = Load(w + i * kGroupLineBytes);
        const Reg even = _mm512_srai_epi16(_mm512_slli_epi16(v, 8), 8);
        lines[2 * i][0] = _mm512_sub_epi16(even, zeros);
        lines[2 * i + 1][0] = _mm512_sub_epi16(_mm512_srai_epi16(v, 8), zeros);
      }
    }
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
  }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats, float group_scale, Mask mask,
                                   float* out) {
    AddScaled(_mm512_cvtepi32_ps(sums), scale, group_scale, mask, out);
  }
};

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT512_INL_H_
