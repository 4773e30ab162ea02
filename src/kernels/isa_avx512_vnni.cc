// Slots that AVX512_VNNI adds: packed weights by vpdpbusd and vpdpwssd, and attention in 16-bit
// integers by vpdpwssd, in registers of 512 bits.
#include "kernels/attention_int16_avx512-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Need the vocabulary above.
#include "kernels/packed_avx512_rows-inl.h"
#include "kernels/packed_dot-inl.h"
#include "kernels/packed_dot512-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

#define DOT_CHAIN(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot, OCTAVO_TWELVE_CHAINS(DOT_CHAIN))

#define DOT16_CHAIN(i) "vpdpwssd %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakDot16, OCTAVO_TWELVE_CHAINS(DOT16_CHAIN))

constexpr KernelTable Slots() {
  KernelTable t = DotSlots<DotA8<Lines512, Vpdpbusd512>, DotA16<Lines512, Vpdpwssd512>>("avx512");
  t.quantize_row = QuantizeRow512;
  t.attention_int16 = int16_avx512::Kernels();
  t.peak_int8_dot = {PeakDot, 12 * 128};
  t.peak_int16_dot = {PeakDot16, 12 * 64};
  return t;
}

}  // namespace

constexpr KernelTable kAvx512VnniSlots = Slots();

}  // namespace octavo
