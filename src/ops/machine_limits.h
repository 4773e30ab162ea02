// MachineLimits: what this machine can do at best, measured, so that every figure of a bench can be
// given as a share of it.
#ifndef OCTAVO_OPS_MACHINE_LIMITS_H_
#define OCTAVO_OPS_MACHINE_LIMITS_H_

#include "kernels/kernel_table.h"

namespace octavo {

class ThreadPool;

// Rates in 10^9 operations per second (a multiply-add counts as two) over all threads of the pool;
// 0 where the kernel table has no such instruction. Arithmetic: the best of several short runs, as
// others on the machine can only slow it down; reading: their median.
struct MachineLimits {
  int num_threads = 0;
  double fp32_fma = 0;        // 256- or 512-bit fused multiply-add; NEON fmla
  double bf16_dot = 0;        // vdpbf16ps
  double int8_dot = 0;        // vpdpbusd; NEON sdot
  double int8_maddubs16 = 0;  // vpmaddubsw + vpaddw (AVX2)
  double int8_maddubs32 = 0;  // vpmaddubsw + vpmaddwd + vpaddd (AVX2)
  double int16_madd = 0;      // vpmaddwd + vpaddd (AVX2)
  double int16_dot = 0;       // vpdpwssd
  double read_gb_per_s = 0;   // 10^9 bytes per second from memory far larger than the caches
};

// Takes about two seconds. REQUIRES: the pool is idle.
// The instruction loops are those of the reference program for machine peaks (twelve independent
// chains); `kernels` may be a narrower table than the machine's best.
MachineLimits MeasureMachineLimits(const KernelTable& kernels, ThreadPool* pool);

}  // namespace octavo

#endif  // OCTAVO_OPS_MACHINE_LIMITS_H_
