// What the processor has and the operating system has enabled.
#ifndef OCTAVO_BASE_CPU_FEATURES_H_
#define OCTAVO_BASE_CPU_FEATURES_H_

#include <string>

namespace octavo {

struct CpuFeatures {
  // x86-64. Each implies that the OS saves the registers it needs (XGETBV).
  bool avx2 = false;      // with FMA and F16C
  bool avx_vnni = false;  // 256-bit vpdpbusd without AVX-512
  bool avx512 = false;    // F, BW, VL, DQ
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  // arm64. neon is always there.
  bool neon = false;
  bool neon_dotprod = false;
  bool neon_i8mm = false;
  bool neon_bf16 = false;
};

// Read once; const and safe from any thread.
const CpuFeatures& GetCpuFeatures() noexcept;

// "AMD EPYC 9354", or the architecture's name if the OS does not tell.
std::string CpuName();

// Bytes of one core's L2 cache; 512 KiB if unknown.
long L2CacheBytes() noexcept;

}  // namespace octavo

#endif  // OCTAVO_BASE_CPU_FEATURES_H_
