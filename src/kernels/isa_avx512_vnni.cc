// Slots that AVX512_VNNI adds: packed weights by vpdpbusd in registers of 512 bits, one for a line,
// and attention in 16-bit integers by vpdpwssd.
#include "kernels/attention_int16_avx512-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Need the vocabulary above.
#include "kernels/packed_avx512_rows-inl.h"
#include "kernels/packed_dot-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

// See packed_dot-inl.h.
struct Dot512 {
  using Reg = __m512i;
  using Floats = __m512;
  using Mask = __mmask16;
  static constexpr int kRegisters = 1;
  static constexpr int kTileRows = 12;
  static constexpr int kTilePanels = 2;
  static constexpr int kPassRows = 8;

  static OCTAVO_INLINE Reg Load(const uint8_t* p) { return _mm512_load_si512(p); }
  static OCTAVO_INLINE void Store(uint8_t* p, Reg a) { _mm512_store_si512(p, a); }
  static OCTAVO_INLINE Reg LowHalves(Reg a) { return _mm512_and_si512(a, _mm512_set1_epi8(15)); }
  static OCTAVO_INLINE Reg HighHalves(Reg a) { return LowHalves(_mm512_srli_epi16(a, 4)); }
  static OCTAVO_INLINE Reg Flip(Reg a) { return _mm512_xor_si512(a, _mm512_set1_epi8(-128)); }
  static OCTAVO_INLINE Reg Zero() { return _mm512_setzero_si512(); }
  static OCTAVO_INLINE Reg Sum(Reg a, Reg b) { return _mm512_add_epi32(a, b); }
  static OCTAVO_INLINE Reg Broadcast(const int8_t* x) {
    int32_t four;
    __builtin_memcpy(&four, x, sizeof(four));
    return _mm512_set1_epi32(four);
  }
  // As assembly: with the intrinsic g++ 12 moves sums from register to register.
  static OCTAVO_INLINE Reg Add(Reg sums, Reg w, Reg x) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(w), "v"(x));
    return sums;
  }
  static OCTAVO_INLINE Floats LoadFloats(const float* p) { return _mm512_loadu_ps(p); }
  static OCTAVO_INLINE Mask MaskOf(bool yes) { return static_cast<Mask>(yes ? 0xFFFF : 0); }
  static OCTAVO_INLINE void Finish(Reg sums, Floats scale, Floats offset,
                                   const ActivationGroup& group, Mask mask, float* out) {
    const __m512 dot = _mm512_fmadd_ps(offset, _mm512_set1_ps(group.sum), _mm512_cvtepi32_ps(sums));
    const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(group.scale));
    _mm512_storeu_ps(out, _mm512_fmadd_ps(dot, both, _mm512_maskz_loadu_ps(mask, out)));
  }
};

#define DOT_CHAIN(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot, OCTAVO_TWELVE_CHAINS(DOT_CHAIN))

#define DOT16_CHAIN(i) "vpdpwssd %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot16, OCTAVO_TWELVE_CHAINS(DOT16_CHAIN))

constexpr KernelTable Slots() {
  KernelTable t = DotSlots<Dot512>("avx512");
  t.quantize_row = QuantizeRow512;
  t.attention_int16 = int16_avx512::Kernels();
  t.peak_int8_dot = {PeakDot, 12 * 128};
  t.peak_int16_dot = {PeakDot16, 12 * 64};
  return t;
}

}  // namespace

constexpr KernelTable kAvx512VnniSlots = Slots();

}  // namespace octavo
