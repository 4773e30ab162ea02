// Vision attention in f32 and in 16-bit integers, side by side with the loops that bound them.
// Every iteration runs a slice of each in turn, on one thread and by its processor time, so that
// what neighbours do to the machine meets all of them; the figures are medians of the slices.
//
//   [OCTAVO_ISA=avx2] attention_bench [--benchmark_filter=5476]
//
// fma, int16_peak: of fp32 FMA, and of multiply-adds of 16-bit pairs (a dot where the table has
// it); f32, int16: attention, 10^9 operations a second, packing included; f32_% and int16_%: shares
// of their own peaks; ratio: int16 over f32.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/cpu_features.h"
#include "base/random.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/attention.h"
#include "ops/full_attention_int16.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr int kHeads = 16;
constexpr int kDim = 80;

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The rates of one kind of slice.
class Rates {
 public:
  void Run(double operations, const std::function<void()>& work) {
    const double start = ThreadSeconds();
    work();
    rates_.push_back(operations * 1e-9 / (ThreadSeconds() - start));
  }
  void Run(const PeakLoop& loop) {
    if (loop.run == nullptr) return;
    constexpr int64_t kIterations = 20'000;
    Run(loop.operations_per_iteration * double{kIterations}, [&] { loop.run(kIterations); });
  }
  double Median() {
    if (rates_.empty()) return 0;
    std::nth_element(rates_.begin(), rates_.begin() + static_cast<int64_t>(rates_.size() / 2),
                     rates_.end());
    return rates_[rates_.size() / 2];
  }

 private:
  std::vector<double> rates_;
};

struct Layer {
  std::vector<float> qkv, out;
  std::vector<int64_t> cu;
  FullAttentionArgs args;

  explicit Layer(int64_t rows) : cu{0, rows} {
    constexpr int64_t kColumns = int64_t{kHeads} * kDim;
    Random random(1);
    for (int64_t i = 0; i < rows * 3 * kColumns; ++i) qkv.push_back(random.Uniform(-2.0f, 2.0f));
    out.resize(static_cast<size_t>(rows * kColumns));
    args.q = {qkv.data(), rows, kColumns, 3 * kColumns};
    args.k = {qkv.data() + kColumns, rows, kColumns, 3 * kColumns};
    args.v = {qkv.data() + 2 * kColumns, rows, kColumns, 3 * kColumns};
    args.out = {out.data(), rows, kColumns};
    args.num_heads = kHeads;
    args.head_dim = kDim;
    args.scale = 1.0f / std::sqrt(static_cast<float>(kDim));
    args.cu_seqlens = cu;
  }

  // The first row of the first head against double precision.
  void Verify(const char* what, double bound) const {
    std::vector<double> want(kDim);
    double weights = 0;
    for (int64_t t = 0; t < args.k.rows; ++t) {
      double score = 0;
      for (int64_t c = 0; c < kDim; ++c) score += double{args.q.row(0)[c]} * args.k.row(t)[c];
      const double weight = std::exp(score * args.scale);
      weights += weight;
      for (int64_t c = 0; c < kDim; ++c) want[static_cast<size_t>(c)] += weight * args.v.row(t)[c];
    }
    double difference = 0, size = 0;
    for (size_t c = 0; c < kDim; ++c) {
      difference += std::pow(out[c] - want[c] / weights, 2);
      size += std::pow(want[c] / weights, 2);
    }
    OCTAVO_CHECK(std::sqrt(difference / size) < bound, what, ": error ",
                 std::sqrt(difference / size));
  }
};

void RunAttention(benchmark::State& state, const KernelTable* kernels, int64_t rows) {
  ThreadPool pool(1);
  Workspace workspace(1 << 20, 1, AttentionScratchBytes(kDim));
  const Context context{kernels, &pool, &workspace};
  Layer layer(rows);
  Int16Heads heads(kHeads, kDim, rows);
  F32Heads f32_heads(kHeads, kDim, rows);
  FullAttention(context, layer.args, &f32_heads, 0, 1);
  layer.Verify("f32", 1e-5);
  FullAttentionInt16(context, layer.args, &heads, 0, 1);
  layer.Verify("int16", 2e-3);

  // Some heads of each form, in slices; packing is spread over the operations that it serves.
  const int64_t num_heads = std::min(heads.heads_per_group(), f32_heads.heads_per_group());
  const int64_t int16_tasks = FullAttentionInt16Tasks(layer.args) / kHeads * num_heads;
  const int64_t f32_tasks = FullAttentionTasks(layer.args) / kHeads * num_heads;
  const double operations = 4.0 * static_cast<double>(rows) * static_cast<double>(rows) * kDim *
                            static_cast<double>(num_heads);
  const int64_t slices = std::max<int64_t>(1, std::min(f32_tasks, rows / 256));
  Rates fma, peak16, f32, int16, f32_pack, int16_pack;
  for (auto _ : state) {
    heads.Clear();
    f32_heads.Clear();
    // A whole group is packed.
    f32_pack.Run(operations * static_cast<double>(f32_heads.heads_per_group()) /
                     static_cast<double>(num_heads),
                 [&] { f32_heads.Pack(context, layer.args, 0, 0); });
    int16_pack.Run(
        operations * static_cast<double>(heads.heads_per_group()) / static_cast<double>(num_heads),
        [&] { heads.Pack(context, layer.args, 0, 0); });
    for (int64_t i = 0; i < slices; ++i) {
      const auto part = [&](int64_t tasks, int64_t n) { return tasks * n / slices; };
      const auto share = [&](int64_t tasks) {
        return operations * static_cast<double>(part(tasks, i + 1) - part(tasks, i)) /
               static_cast<double>(tasks);
      };
      fma.Run(kernels->peak_fp32_fma);
      peak16.Run(kernels->peak_int16_dot.run != nullptr ? kernels->peak_int16_dot
                                                        : kernels->peak_int16_madd);
      f32.Run(share(f32_tasks), [&] {
        FullAttention(context, layer.args, &f32_heads, part(f32_tasks, i),
                      part(f32_tasks, i + 1) - part(f32_tasks, i));
      });
      int16.Run(share(int16_tasks), [&] {
        FullAttentionInt16(context, layer.args, &heads, part(int16_tasks, i),
                           part(int16_tasks, i + 1) - part(int16_tasks, i));
      });
    }
  }
  const double f32_rate = 1 / (1 / f32.Median() + 1 / f32_pack.Median());
  const double int16_rate = 1 / (1 / int16.Median() + 1 / int16_pack.Median());
  state.counters["fma"] = fma.Median();
  state.counters["f32"] = f32_rate;
  state.counters["f32_%"] = 100 * f32_rate / std::max(fma.Median(), 1e-9);
  state.counters["int16"] = int16_rate;
  if (peak16.Median() > 0) {
    state.counters["int16_peak"] = peak16.Median();
    state.counters["int16_%"] = 100 * int16_rate / peak16.Median();
  }
  state.counters["ratio"] = int16_rate / f32_rate;
  state.counters["pack_%"] = 100 * int16_rate / int16_pack.Median();
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const KernelTable* kernels = &SelectedKernels();
  std::printf("%s, kernels %s\n", CpuName().c_str(), DescribeKernels(*kernels).c_str());
  for (const int64_t rows : {256, 1024, 5476}) {
    benchmark::RegisterBenchmark(
        StrCat("attention/", rows, "x80").c_str(),
        [=](benchmark::State& state) { RunAttention(state, kernels, rows); })
        ->Unit(benchmark::kMillisecond)
        ->MinTime(2);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace octavo::ops

int main(int argc, char** argv) { return octavo::ops::Main(argc, argv); }
