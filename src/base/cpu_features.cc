#include "base/cpu_features.h"

#include <unistd.h>

#include <cstdint>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace octavo {
namespace {

#if defined(__x86_64__)

bool HasBit(unsigned word, int bit) { return ((word >> bit) & 1u) != 0; }

// The register states that the operating system saves (XCR0).
uint64_t EnabledStates() {
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

CpuFeatures Detect() {
  // Bit numbers: Intel SDM volume 2A, CPUID leaves 1, 7.0 and 7.1.
  CpuFeatures features;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return features;
  const bool has_fma = HasBit(c, 12);
  const bool has_osxsave = HasBit(c, 27);
  const bool has_avx = HasBit(c, 28);
  const bool has_f16c = HasBit(c, 29);
  if (!has_osxsave || !has_avx) return features;
  const uint64_t states = EnabledStates();
  constexpr uint64_t kYmm = 0x6;                 // SSE and AVX
  constexpr uint64_t kZmm = kYmm | 0x20 | 0xC0;  // and opmask, upper halves, upper registers
  if ((states & kYmm) != kYmm) return features;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return features;
  const unsigned max_subleaf = a;
  features.avx2 = HasBit(b, 5) && has_fma && has_f16c;
  const bool zmm = (states & kZmm) == kZmm;
  features.avx512 =
      zmm && features.avx2 && HasBit(b, 16) && HasBit(b, 17) && HasBit(b, 30) && HasBit(b, 31);
  features.avx512_vnni = features.avx512 && HasBit(c, 11);
  if (max_subleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
    features.avx_vnni = features.avx2 && HasBit(a, 4);
    features.avx512_bf16 = features.avx512 && HasBit(a, 5);
  }
  return features;
}

constexpr const char* kArchitecture = "x86-64";

#elif defined(__aarch64__)

CpuFeatures Detect() {
  // Bit numbers: Linux, arch/arm64/include/uapi/asm/hwcap.h.
  CpuFeatures features;
  const unsigned long hwcap = getauxval(AT_HWCAP);
  const unsigned long hwcap2 = getauxval(AT_HWCAP2);
  features.neon = true;
  features.neon_dotprod = ((hwcap >> 20) & 1) != 0;
  features.neon_i8mm = ((hwcap2 >> 13) & 1) != 0;
  features.neon_bf16 = ((hwcap2 >> 14) & 1) != 0;
  return features;
}

constexpr const char* kArchitecture = "arm64";

#else

CpuFeatures Detect() { return {}; }
constexpr const char* kArchitecture = "unknown processor";

#endif

}  // namespace

const CpuFeatures& GetCpuFeatures() noexcept {
  static const CpuFeatures features = Detect();
  return features;
}

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    if (line.rfind("model name", 0) != 0) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return kArchitecture;
}

long L2CacheBytes() noexcept {
  constexpr long kDefault = 512L * 1024;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  // Some virtual machines report nonsense; a tile size must not follow it.
  if (bytes >= 64L * 1024 && bytes <= 64L * 1024 * 1024) return bytes;
#endif
  return kDefault;
}

}  // namespace octavo
