// The Dot of packed_dot-inl.h in registers of 256 bits. The instruction itself is a parameter, so
// that tests can put its definition in its place on machines that lack it:
//   Instruction::Add(sums, w, x)    sums + w[4 c + j] * x[4 c + j] over j < 4; w unsigned, x signed
#ifndef OCTAVO_KERNELS_PACKED_DOT256_INL_H_
#define OCTAVO_KERNELS_PACKED_DOT256_INL_H_

#include <immintrin.h>

#include "kernels/packed_gemm.h"

namespace octavo {
namespace {

template <class Instruction>
struct Dot256 {
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
  static OCTAVO_INLINE Reg LowHalves(Reg a) { return _mm256_and_si256(a, _mm256_set1_epi8(15)); }
  static OCTAVO_INLINE Reg HighHalves(Reg a) { return LowHalves(_mm256_srli_epi16(a, 4)); }
  static OCTAVO_INLINE Reg Flip(Reg a) { return _mm256_xor_si256(a, _mm256_set1_epi8(-128)); }
  static OCTAVO_INLINE Reg Zero() { return _mm256_setzero_si256(); }
  static OCTAVO_INLINE Reg Sum(Reg a, Reg b) { return _mm256_add_epi32(a, b); }
  static OCTAVO_INLINE Reg Broadcast(const int8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof(four));
    return _mm256_set1_epi32(four);
  }
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) { return Instruction::Add(sums, w, x); }
  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm256_load_ps(p); }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return _mm256_set1_epi32(yes ? -1 : 0); }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats offset,
                                   const ActivationGroup& group, Mask mask, float* out) {
    const __m256 dot = _mm256_fmadd_ps(offset, _mm256_set1_ps(group.sum), _mm256_cvtepi32_ps(sums));
    const __m256 both = _mm256_mul_ps(scale, _mm256_set1_ps(group.scale));
    _mm256_storeu_ps(out, _mm256_fmadd_ps(dot, both, _mm256_maskload_ps(out, mask)));
  }
};

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PACKED_DOT256_INL_H_
