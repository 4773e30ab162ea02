// Loops of twelve independent chains of one instruction, or of a group of them, to measure peaks.
#ifndef OCTAVO_KERNELS_PEAK_X86_INL_H_
#define OCTAVO_KERNELS_PEAK_X86_INL_H_

#include <immintrin.h>

#include "kernels/kernel_table.h"

// clang-format off
#define OCTAVO_TWELVE_CHAINS(CHAIN) \
  CHAIN(0) CHAIN(1) CHAIN(2) CHAIN(3) CHAIN(4) CHAIN(5) \
  CHAIN(6) CHAIN(7) CHAIN(8) CHAIN(9) CHAIN(10) CHAIN(11)

// GROUP(t, a): t a temporary register, a one of six accumulators.
#define OCTAVO_TWELVE_GROUPS(GROUP) \
  GROUP(6, 0) GROUP(7, 1) GROUP(8, 2) GROUP(9, 3) GROUP(10, 4) GROUP(11, 5) \
  GROUP(12, 0) GROUP(13, 1) GROUP(6, 2) GROUP(7, 3) GROUP(8, 4) GROUP(9, 5)

// A function `name` that repeats BODY; registers 14 and 15 are zero.
#define OCTAVO_PEAK_LOOP(name, BODY) \
  void name(int64_t iterations) { \
    if (iterations <= 0) return; \
    asm volatile( \
        "vpxor %%xmm14, %%xmm14, %%xmm14\n\t" \
        "vpxor %%xmm15, %%xmm15, %%xmm15\n\t" \
        ".p2align 5\n" \
        "1:\n\t" BODY \
        "dec %0\n\t" \
        "jnz 1b\n\t" \
        "vzeroupper\n\t" \
        : "+r"(iterations) \
        : \
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
          "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc"); \
  }

#define OCTAVO_MADDUBS16(t, a) \
  "vpmaddubsw %%ymm14, %%ymm15, %%ymm" #t "\n\t" \
  "vpaddw %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
#define OCTAVO_MADDUBS32(t, a) \
  "vpmaddubsw %%ymm14, %%ymm15, %%ymm" #t "\n\t" \
  "vpmaddwd %%ymm" #t ", %%ymm14, %%ymm" #t "\n\t" \
  "vpaddd %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
#define OCTAVO_MADD16(t, a) \
  "vpmaddwd %%ymm14, %%ymm15, %%ymm" #t "\n\t" \
  "vpaddd %%ymm" #t ", %%ymm" #a ", %%ymm" #a "\n\t"
// clang-format on

namespace octavo {
namespace {

OCTAVO_PEAK_LOOP(PeakMaddubs16, OCTAVO_TWELVE_GROUPS(OCTAVO_MADDUBS16))
OCTAVO_PEAK_LOOP(PeakMaddubs32, OCTAVO_TWELVE_GROUPS(OCTAVO_MADDUBS32))
OCTAVO_PEAK_LOOP(PeakMadd16, OCTAVO_TWELVE_GROUPS(OCTAVO_MADD16))

// By 256 bits, which on some processors reads memory a tenth faster than 512.
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

// The 256-bit limits, which every x86 table from AVX2 on has.
constexpr void SetCommonPeaks(KernelTable* t) {
  t->peak_int8_maddubs16 = {PeakMaddubs16, 12 * 64};
  t->peak_int8_maddubs32 = {PeakMaddubs32, 12 * 64};
  t->peak_int16_madd = {PeakMadd16, 12 * 32};
  t->read_memory = ReadMemory;
}

}  // namespace
}  // namespace octavo

#endif  // OCTAVO_KERNELS_PEAK_X86_INL_H_
