#include "kernels/select.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/cpu_features.h"
#include "octavo/error.h"

namespace octavo {
namespace {

TEST(Select, ForcedTableIsTheRunningOne) {
  const char* wish = std::getenv("OCTAVO_ISA");
  if (wish == nullptr) GTEST_SKIP() << "OCTAVO_ISA is not set";
  EXPECT_STREQ(SelectedKernels().name, wish);
}

TEST(Select, TakesTheBestTableUnasked) {
  if (std::getenv("OCTAVO_ISA") != nullptr) GTEST_SKIP() << "OCTAVO_ISA is set";
  EXPECT_EQ(&SelectedKernels(), RunnableKernels().front());
}

TEST(Select, ListsWhatTheCpuHasAndScalarLast) {
  std::string names;
  for (const KernelTable* table : RunnableKernels()) names += std::string(table->name) + " ";
  const CpuFeatures& cpu = GetCpuFeatures();
  std::string want;
  if (cpu.avx512) want += "avx512 ";
  if (cpu.avx_vnni) want += "avxvnni ";
  if (cpu.avx2) want += "avx2 ";
  if (cpu.neon) want += "neon ";
  EXPECT_EQ(names, want + "scalar ");
}

TEST(Select, RefusesAnImpossibleTableAndListsTheOthers) {
  try {
    KernelsByName("pentium");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_NE(std::string(error.what()).find("\"pentium\""), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("scalar"), std::string::npos);
  }
}

TEST(Select, DescribesOverrides) {
  for (const KernelTable* table : RunnableKernels()) {
    const std::string name = table->name, overrides = table->overrides;
    EXPECT_EQ(DescribeKernels(*table), overrides.empty() ? name : name + " (" + overrides + ")");
    EXPECT_EQ(overrides.find("bf16 dot") != std::string::npos, table->gemm_bf16_dot != nullptr);
    EXPECT_EQ(overrides.find("vnni") != std::string::npos,
              name == "avx512" && GetCpuFeatures().avx512_vnni);
    EXPECT_EQ(overrides == "dotprod", name == "neon" && GetCpuFeatures().neon_dotprod);
    EXPECT_EQ(&KernelsByName(table->name), table);
  }
}

TEST(Select, EveryTableFillsEverySlotButTheOptionalOnes) {
  for (const KernelTable* t : RunnableKernels()) {
    SCOPED_TRACE(t->name);
    EXPECT_TRUE(t->gemm_f32 && t->stream_f32 && t->stream_f16 && t->stream_bf16 && t->gemm_f16 &&
                t->gemm_bf16);
    EXPECT_TRUE(t->widen_f16 && t->widen_bf16 && t->widen_bf16_pairs && t->narrow_bf16 &&
                t->widen_i8_rows && t->widen_i8_columns && t->round_bf16 && t->finish_sums);
    EXPECT_TRUE(t->quantize_row && t->gemm_w4a8 && t->gemm_w8a8 && t->widen_w4 && t->widen_w8);
    EXPECT_TRUE(t->softmax_lanes && t->softmax_rows && t->layer_norm && t->rms_norm);
    EXPECT_TRUE(t->quick_gelu && t->gelu && t->silu_multiply && t->rotary && t->read_memory);
  }
}

}  // namespace
}  // namespace octavo
