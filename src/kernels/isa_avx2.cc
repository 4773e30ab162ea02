// The avx2 table: AVX2 with FMA and F16C.
#include "kernels/isa_tables.h"
#include "kernels/vec_avx2.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/peak_x86-inl.h"

namespace octavo {
namespace {

#define FMA_CHAIN(i) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #i "\n\t"
OCTAVO_PEAK_LOOP(PeakFma, OCTAVO_TWELVE_CHAINS(FMA_CHAIN))

uint64_t ReadMemory(const std::byte* data, size_t bytes) {
  __m256i sums[4] = {};
  for (size_t i = 0; i < bytes; i += 4 * sizeof(__m256i)) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      const auto* p = reinterpret_cast<const __m256i*>(data + i + j * sizeof(__m256i));
      sums[j] = _mm256_xor_si256(sums[j], _mm256_loadu_si256(p));
    }
  }
  const __m256i all =
      _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]), _mm256_xor_si256(sums[2], sums[3]));
  return static_cast<uint64_t>(_mm256_extract_epi64(all, 0) ^ _mm256_extract_epi64(all, 1) ^
                               _mm256_extract_epi64(all, 2) ^ _mm256_extract_epi64(all, 3));
}

constexpr KernelTable Avx2Table() {
  KernelTable t = VecTable("avx2");
  t.peak_fp32_fma = {PeakFma, 12 * 16};
  SetIntegerPeaks(&t);
  t.read_memory = ReadMemory;
  return t;
}

}  // namespace

constexpr KernelTable kAvx2Kernels = Avx2Table();

}  // namespace octavo
