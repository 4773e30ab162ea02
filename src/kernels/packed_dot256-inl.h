// The Dots of packed_dot-inl.h in registers of 256 bits, two for a line. The instruction itself is
// a parameter, so that tests can put its definition in its place on machines that lack it:
//   Instruction::Add(sums, w, x)
// is, for each sum of 32 bits, sums + the sum over the parts of w times those of x.
#ifndef OCTAVO_KERNELS_PACKED_DOT256_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT256_INL_H_

#include <immintrin.h>

#include "kernels/packed_gemm.h"

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
  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm256_load_ps(p); }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return _mm256_set1_epi32(yes ? -1 : 0); }
  static OCTAVO_INLINE void AddScaled(Floats dot, Floats scale, float group_scale, Mask mask,
                                      float* out) {
    const __m256 both = _mm256_mul_ps(scale, _mm256_set1_ps(group_scale));
    _mm256_storeu_ps(out, _mm256_fmadd_ps(dot, both, _mm256_maskload_ps(out, mask)));
  }
};

// Activations of 8 bits. Bytes of weights are without sign: those of 8 bits have 128 added.
template <class Instruction>
struct Dot256 : Lines256 {
  using Product = GemmPacked;
  using Group = ActivationGroup;
  struct Centre {};
  static constexpr int kLineK = 4;
  static constexpr int kStreamRows = 12;
  template <int kBits>
  static constexpr int kCentre = kBits == 4 ? 0 : -128;

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte*) {
    return {};
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, Centre, Reg (&lines)[2][kRegisters]) {
    const Reg low = _mm256_set1_epi8(15), flip = _mm256_set1_epi8(-128);
#pragma GCC unroll 2
    for (int i = 0; i < kRegisters; ++i) {
      const Reg v = Load(w + 32 * i);
      if constexpr (kBits == 4) {
        lines[0][i] = _mm256_and_si256(v, low);
        lines[1][i] = _mm256_and_si256(_mm256_srli_epi16(v, 4), low);
      } else {
        lines[0][i] = _mm256_xor_si256(v, flip);
        lines[1][i] = _mm256_xor_si256(Load(w + kGroupLineBytes + 32 * i), flip);
      }
    }
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) { return Instruction::Add(sums, w, x); }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats offset, const Group& group,
                                   Mask mask, float* out) {
    AddScaled(_mm256_fmadd_ps(offset, _mm256_set1_ps(group.sum), _mm256_cvtepi32_ps(sums)), scale,
              group.scale, mask, out);
  }
};

// Activations of 16 bits: weights are q - zero in pairs (k, k + 2) and (k + 1, k + 3).
template <class Instruction>
struct Dot256A16 : Lines256 {
  using Product = GemmPackedA16;
  using Group = float;
  struct Centre {
    Reg zeros[kRegisters];  // each twice
  };
  static constexpr int kLineK = 2;
  static constexpr int kStreamRows = kPassRows;  // unpacking costs more than a second pass
  template <int kBits>
  static constexpr int kCentre = 0;  // not used

  template <int kBits>
  static OCTAVO_INLINE Centre CentreOf(const std::byte* side) {
    Centre centre;
#pragma GCC unroll 2
    for (int i = 0; i < kRegisters; ++i) {
      const __m128i zeros =
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(side + kGroupZeroOffset + 8 * i));
      const Reg wide = kBits == 4 ? _mm256_cvtepu8_epi32(zeros) : _mm256_cvtepi8_epi32(zeros);
      centre.zeros[i] = _mm256_or_si256(_mm256_slli_epi32(wide, 16),
                                        _mm256_and_si256(wide, _mm256_set1_epi32(0xFFFF)));
    }
    return centre;
  }
  template <int kBits>
  static OCTAVO_INLINE void Unpack(const uint8_t* w, Centre centre, Reg (&lines)[4][kRegisters]) {
    const Reg low = _mm256_set1_epi16(15);
#pragma GCC unroll 2
    for (int i = 0; i < kRegisters; ++i) {
      const Reg v = Load(w + 32 * i), zeros = centre.zeros[i];
      if constexpr (kBits == 4) {
        lines[0][i] = _mm256_sub_epi16(_mm256_and_si256(v, low), zeros);
        lines[1][i] = _mm256_sub_epi16(_mm256_and_si256(_mm256_srli_epi16(v, 8), low), zeros);
        lines[2][i] = _mm256_sub_epi16(_mm256_and_si256(_mm256_srli_epi16(v, 4), low), zeros);
        lines[3][i] = _mm256_sub_epi16(_mm256_srli_epi16(v, 12), zeros);
      } else {
        const Reg next = Load(w + kGroupLineBytes + 32 * i);
        lines[0][i] = _mm256_sub_epi16(EvenBytes(v), zeros);
        lines[1][i] = _mm256_sub_epi16(_mm256_srai_epi16(v, 8), zeros);
        lines[2][i] = _mm256_sub_epi16(EvenBytes(next), zeros);
        lines[3][i] = _mm256_sub_epi16(_mm256_srai_epi16(next, 8), zeros);
      }
    }
  }
  static OCTAVO_INLINE Reg EvenBytes(Reg v) {
    return _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8);
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) { return Instruction::Add(sums, w, x); }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats, float group_scale, Mask mask,
                                   float* out) {
    AddScaled(_mm256_cvtepi32_ps(sums), scale, group_scale, mask, out);
  }
};

// vpmaddwd and vpaddd, as every processor with AVX2 has them.
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
