#include "ops/machine_limits.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/memory_info.h"
#include "base/memory_reservation.h"
#include "base/thread_pool.h"

namespace octavo {
namespace {

constexpr size_t kRuns = 9;
constexpr int64_t kPiecesPerThread = 32;    // small enough to level out a thread that was held up
constexpr double kSecondsPerThread = 0.01;  // of one run
constexpr size_t kReadPiece = size_t{4} << 20;
constexpr size_t kMostRead = size_t{512} << 20;

using Rates = std::array<double, kRuns>;

double SecondsOf(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// 10^9 operations per second of all threads together.
double BestRate(const PeakLoop& loop, ThreadPool* pool) {
  if (loop.run == nullptr) return 0;
  int64_t iterations = 1000;
  while (SecondsOf([&] { loop.run(iterations); }) * kPiecesPerThread < kSecondsPerThread) {
    iterations *= 2;
  }
  const int64_t pieces = kPiecesPerThread * pool->num_threads();
  const double operations =
      loop.operations_per_iteration * static_cast<double>(iterations * pieces);
  Rates rates;
  for (double& rate : rates) {
    rate = operations * 1e-9 / SecondsOf([&] {
             pool->ParallelFor(pieces, 1, [&](int64_t begin, int64_t end, int) {
               loop.run(iterations * (end - begin));
             });
           });
  }
  return *std::max_element(rates.begin(), rates.end());
}

// 10^9 bytes per second, from large pages where the system has them.
double MedianReadRate(const KernelTable& kernels, ThreadPool* pool) {
  const auto available = static_cast<size_t>(std::max<int64_t>(0, MemoryAvailableBytes()));
  const size_t bytes =
      std::max(kReadPiece, std::min(kMostRead, available / 4) / kReadPiece * kReadPiece);
  MemoryReservation memory(bytes);
  memory.AdviseHugePages();
  const auto pieces = static_cast<int64_t>(bytes / kReadPiece);
  pool->ParallelFor(pieces, 1, [&](int64_t begin, int64_t end, int) {
    std::memset(memory.data() + static_cast<size_t>(begin) * kReadPiece, 1,
                static_cast<size_t>(end - begin) * kReadPiece);
  });
  std::atomic<uint64_t> sink{0};
  Rates rates;
  for (double& rate : rates) {
    rate = static_cast<double>(bytes) * 1e-9 / SecondsOf([&] {
             pool->ParallelFor(pieces, 1, [&](int64_t begin, int64_t end, int) {
               sink += kernels.read_memory(memory.data() + static_cast<size_t>(begin) * kReadPiece,
                                           static_cast<size_t>(end - begin) * kReadPiece);
             });
           });
  }
  std::nth_element(rates.begin(), rates.begin() + kRuns / 2, rates.end());
  return rates[kRuns / 2];
}

}  // namespace

MachineLimits MeasureMachineLimits(const KernelTable& kernels, ThreadPool* pool) {
  MachineLimits limits;
  limits.num_threads = pool->num_threads();
  limits.fp32_fma = BestRate(kernels.peak_fp32_fma, pool);
  limits.bf16_dot = BestRate(kernels.peak_bf16_dot, pool);
  limits.int8_dot = BestRate(kernels.peak_int8_dot, pool);
  limits.int8_maddubs16 = BestRate(kernels.peak_int8_maddubs16, pool);
  limits.int8_maddubs32 = BestRate(kernels.peak_int8_maddubs32, pool);
  limits.int16_madd = BestRate(kernels.peak_int16_madd, pool);
  limits.int16_dot = BestRate(kernels.peak_int16_dot, pool);
  limits.read_gb_per_s = MedianReadRate(kernels, pool);
  return limits;
}

}  // namespace octavo
