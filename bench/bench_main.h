// What the programs of bench/ that run on a thread pool have in common.
#ifndef OCTAVO_BENCH_BENCH_MAIN_H_
#define OCTAVO_BENCH_BENCH_MAIN_H_

#include <ctime>
#include <functional>

#include "base/thread_pool.h"

namespace octavo {

// Seconds of a clock of clock_gettime: by the wall, of the process or of the thread.
double ClockSeconds(clockid_t clock);

// Takes --threads=N from the arguments (default: DefaultThreadCount), then those of the benchmark
// library; has `add` register benchmarks on a pool of N threads, and runs them. What `add` makes
// for them has to outlive this call. Returns the exit status: 2 for arguments that it does not
// know.
int RunBenchmarks(int argc, char** argv, const std::function<void(ThreadPool*)>& add);

}  // namespace octavo

#endif  // OCTAVO_BENCH_BENCH_MAIN_H_
