// The avx512 table: AVX-512 F, BW, VL and DQ.
#include "kernels/isa_tables.h"
#include "kernels/vec_avx512.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

#define FMA_CHAIN(i) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" #i "\n\t"
// Needs AVX512_VNNI: select.cc drops the slot where that is missing.
#define DOT_CHAIN(i) "vpdpbusd %%zmm14, %%zmm15, %%zmm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakFma, OCTAVO_TWELVE_CHAINS(FMA_CHAIN))
OCTAVO_PEAK_LOOP(PeakDot, OCTAVO_TWELVE_CHAINS(DOT_CHAIN))

uint64_t ReadMemory(const std::byte* data, size_t bytes) {
  __m512i sums[4] = {};
  for (size_t i = 0; i < bytes; i += 4 * sizeof(__m512i)) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      sums[j] = _mm512_xor_si512(sums[j], _mm512_loadu_si512(data + i + j * sizeof(__m512i)));
    }
  }
  const __m512i all =
      _mm512_xor_si512(_mm512_xor_si512(sums[0], sums[1]), _mm512_xor_si512(sums[2], sums[3]));
  return static_cast<uint64_t>(_mm512_reduce_or_epi64(all));
}

constexpr KernelTable Avx512Table() {
  KernelTable t = VecTable("avx512");
  t.peak_fp32_fma = {PeakFma, 12 * 32};
  t.peak_int8_dot = {PeakDot, 12 * 128};
  SetIntegerPeaks(&t);
  t.read_memory = ReadMemory;
  return t;
}

}  // namespace

constexpr KernelTable kAvx512Kernels = Avx512Table();

}  // namespace octavo
