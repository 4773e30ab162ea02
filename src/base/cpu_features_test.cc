#include "base/cpu_features.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(CpuFeatures, ExtensionsImplyTheirBase) {
  const CpuFeatures& f = GetCpuFeatures();
  EXPECT_TRUE(!f.avx512 || f.avx2);
  EXPECT_TRUE(!f.avx512_vnni || f.avx512);
  EXPECT_TRUE(!f.avx512_bf16 || f.avx512);
  EXPECT_TRUE(!f.avx_vnni || f.avx2);
  EXPECT_TRUE(!(f.neon_dotprod || f.neon_i8mm || f.neon_bf16) || f.neon);
}

#if defined(__x86_64__)
TEST(CpuFeatures, AgreeWithTheCompilersOwnDetection) {
  const CpuFeatures& f = GetCpuFeatures();
  __builtin_cpu_init();
  EXPECT_EQ(f.avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(f.avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"));
  EXPECT_EQ(f.avx512_vnni, f.avx512 && __builtin_cpu_supports("avx512vnni"));
  EXPECT_FALSE(f.neon);
}
#endif

TEST(CpuFeatures, NameAndCacheAreKnown) {
  EXPECT_FALSE(CpuName().empty());
  EXPECT_EQ(CpuName().find('\n'), std::string::npos);
  EXPECT_GE(L2CacheBytes(), 64 * 1024);
}

}  // namespace
}  // namespace octavo
