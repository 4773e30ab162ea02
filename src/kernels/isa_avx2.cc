// The avx2 table: AVX2 with FMA and F16C.
#include "kernels/attention_int16_avx2-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

#define FMA_CHAIN(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakFma, OCTAVO_TWELVE_CHAINS(FMA_CHAIN))

constexpr KernelTable Avx2Table() {
  KernelTable t = VecTable("avx2");
  t.attention_int16 = int16_avx2::Kernels();
  t.attention_int16.is_preferred = true;
  t.peak_fp32_fma = {PeakFma, 12 * 16};
  SetCommonPeaks(&t);
  return t;
}

}  // namespace

constexpr KernelTable kAvx2Kernels = Avx2Table();

}  // namespace octavo
