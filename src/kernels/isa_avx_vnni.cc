// Slots for AVX-VNNI, registers of 256 bits without AVX-512: packed weights by vpdpbusd and
// vpdpwssd, attention in 16-bit integers by vpdpwssd.
#include "kernels/attention_int16_avx2-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/packed_dot-inl.h"
#include "kernels/packed_dot256-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

// As assembly: with the intrinsic g++ 12 moves sums from register to register and to memory.
struct Vpdpbusd {
  static OCTAVO_INLINE __m256i Add(__m256i sums, __m256i w, __m256i x) {
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sums) : "x"(w), "x"(x));
    return sums;
  }
};

struct Vpdpwssd {
  static OCTAVO_INLINE __m256i Add(__m256i sums, __m256i w, __m256i x) {
    asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sums) : "x"(w), "x"(x));
    return sums;
  }
};

// {vex} (braces are escaped): without it the assembler takes the form of AVX-512.
#define DOT_CHAIN(i) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot, OCTAVO_TWELVE_CHAINS(DOT_CHAIN))

#define DOT16_CHAIN(i) "%{vex%} vpdpwssd %%ymm14, %%ymm15, %%ymm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot16, OCTAVO_TWELVE_CHAINS(DOT16_CHAIN))

constexpr KernelTable Slots() {
  KernelTable t = DotSlots<DotA8<Lines256, Vpdpbusd>, DotA16<Lines256, Vpdpwssd>>("avxvnni");
  t.attention_int16 = int16_avx2::Kernels();
  t.attention_int16.is_preferred = true;
  t.peak_int8_dot = {PeakDot, 12 * 64};
  t.peak_int16_dot = {PeakDot16, 12 * 32};
  return t;
}

}  // namespace

constexpr KernelTable kAvxVnniSlots = Slots();

}  // namespace octavo
