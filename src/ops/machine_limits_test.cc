#include "ops/machine_limits.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "kernels/select.h"

namespace octavo {
namespace {

// Measured once: it takes a while on a busy machine.
const MachineLimits& Limits() {
  static const MachineLimits limits = [] {
    ThreadPool pool(1);
    return MeasureMachineLimits(SelectedKernels(), &pool);
  }();
  return limits;
}

TEST(MachineLimits, MeasuresWhatTheTableHas) {
  const KernelTable& kernels = SelectedKernels();
  const MachineLimits& limits = Limits();
  EXPECT_EQ(limits.num_threads, 1);
  EXPECT_GT(limits.fp32_fma, 0);  // no more: under an emulator a hundredth of a GFLOP/s is usual
  EXPECT_GT(limits.read_gb_per_s, 0);
  EXPECT_EQ(limits.bf16_dot > 0, kernels.peak_bf16_dot.run != nullptr);
  EXPECT_EQ(limits.int8_dot > 0, kernels.peak_int8_dot.run != nullptr);
  EXPECT_EQ(limits.int8_maddubs16 > 0, kernels.peak_int8_maddubs16.run != nullptr);
  EXPECT_EQ(limits.int8_maddubs32 > 0, kernels.peak_int8_maddubs32.run != nullptr);
  EXPECT_EQ(limits.int16_madd > 0, kernels.peak_int16_madd.run != nullptr);
  EXPECT_EQ(limits.int16_dot > 0, kernels.peak_int16_dot.run != nullptr);
}

}  // namespace
}  // namespace octavo
