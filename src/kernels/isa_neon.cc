// The neon table: arm64 with f32 multiply-add.
#include "kernels/attention_int16-inl.h"
#include "kernels/isa_tables.h"
#include "kernels/vec_neon.h"
// Needs the vocabulary above.
#include "kernels/kernels-inl.h"
#include "kernels/packed-inl.h"

namespace octavo {
namespace {

#define FMLA_CHAIN(i) "fmla v" #i ".4s, v30.4s, v31.4s\n\t"

// Sixteen chains: enough for two units of latency four.
void PeakFmla(int64_t iterations) {
  if (iterations <= 0) return;
  asm volatile(
      "movi v30.4s, #0\n\t"
      "movi v31.4s, #0\n\t"
      "1:\n\t"  // clang-format off
      FMLA_CHAIN(0) FMLA_CHAIN(1) FMLA_CHAIN(2) FMLA_CHAIN(3) FMLA_CHAIN(4) FMLA_CHAIN(5)
      FMLA_CHAIN(6) FMLA_CHAIN(7) FMLA_CHAIN(16) FMLA_CHAIN(17) FMLA_CHAIN(18) FMLA_CHAIN(19)
      FMLA_CHAIN(20) FMLA_CHAIN(21) FMLA_CHAIN(22) FMLA_CHAIN(23)  // clang-format on
      "subs %0, %0, #1\n\t"
      "b.ne 1b\n\t"
      : "+r"(iterations)
      :
      : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v30", "v31", "cc");
}

uint64_t ReadMemory(const std::byte* data, size_t bytes) {
  uint64x2_t sums[4] = {};
  for (size_t i = 0; i < bytes; i += 64) {
#pragma GCC unroll 4
    for (size_t j = 0; j < 4; ++j) {
      sums[j] = veorq_u64(sums[j], vld1q_u64(reinterpret_cast<const uint64_t*>(data + i + j * 16)));
    }
  }
  const uint64x2_t all = veorq_u64(veorq_u64(sums[0], sums[1]), veorq_u64(sums[2], sums[3]));
  return vgetq_lane_u64(all, 0) ^ vgetq_lane_u64(all, 1);
}

constexpr KernelTable NeonTable() {
  KernelTable t = VecTable("neon");
  t.attention_int16 = int16_attention::Kernels();
  SetPackedLoops(&t);
  t.peak_fp32_fma = {PeakFmla, 16 * 8};
  t.read_memory = ReadMemory;
  return t;
}

}  // namespace

constexpr KernelTable kNeonKernels = NeonTable();

}  // namespace octavo
