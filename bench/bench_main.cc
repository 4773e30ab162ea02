#include "bench_main.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/cpu_features.h"

namespace octavo {

double ClockSeconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int RunBenchmarks(int argc, char** argv, const std::function<void(ThreadPool*)>& add) {
  constexpr const char* kThreads = "--threads=";
  int threads = DefaultThreadCount();
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], kThreads, std::strlen(kThreads)) != 0) continue;
    threads = std::atoi(argv[i] + std::strlen(kThreads));
    if (threads < 1) {
      std::fprintf(stderr, "%s: expected a number from 1\n", argv[i]);
      return 2;
    }
    for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
    --argc;
    break;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  ThreadPool pool(threads);
  std::printf("%s, %d threads\n", CpuName().c_str(), threads);
  add(&pool);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace octavo
