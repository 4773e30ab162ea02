// The avx512 table: AVX-512 F, BW, VL and DQ.
#include "kernels/attention_int16_avx2-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_avx512.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

#define FMA_CHAIN(i) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakFma, OCTAVO_TWELVE_CHAINS(FMA_CHAIN))

constexpr KernelTable Avx512Table() {
  KernelTable t = VecTable("avx512");
  t.attention_int16 = int16_avx2::Kernels();
  t.peak_fp32_fma = {PeakFma, 12 * 32};
  SetCommonPeaks(&t);
  return t;
}

}  // namespace

constexpr KernelTable kAvx512Kernels = Avx512Table();

}  // namespace octavo
