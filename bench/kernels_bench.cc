// Times products and attention of the sizes that MinerU2.5 has, for every kernel table that this
// machine runs, and gives each as a share of what was measured on the machine in the same run:
// share_% of the rate by the clock on the wall, cpu_share_% by processor time, which is the one to
// read on a machine that others use too.
//
//   [OCTAVO_ISA=avx2] kernels_bench [--threads=N] [--benchmark_filter=gemm_f32]
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "bench_main.h"
#include "kernels/select.h"
#include "ops/attention.h"
#include "ops/machine_limits.h"
#include "ops/matmul.h"
#include "ops/workspace.h"
#include "tensor/float16.h"

namespace octavo::ops {
namespace {

// The best rate of one thread per second of its processor time: 10^9 a second.
template <typename Work>
double BestCpuRate(double amount, const Work& work) {
  double best = 0;
  for (int i = 0; i < 15; ++i) {
    const double start = ClockSeconds(CLOCK_THREAD_CPUTIME_ID);
    work();
    best = std::max(best, amount * 1e-9 / (ClockSeconds(CLOCK_THREAD_CPUTIME_ID) - start));
  }
  return best;
}

double BestCpuRate(const PeakLoop& loop) {
  if (loop.run == nullptr) return 0;
  constexpr int64_t kIterations = 500'000;
  return BestCpuRate(loop.operations_per_iteration * double{kIterations},
                     [&] { loop.run(kIterations); });
}

// One table, its limits, and what ops need.
struct Bench {
  const KernelTable* kernels;
  ThreadPool* pool;
  MachineLimits limits;
  double cpu_fma, cpu_dot;
  Workspace workspace;
  Context context;

  Bench(const KernelTable* table, ThreadPool* threads)
      : kernels(table),
        pool(threads),
        limits(MeasureMachineLimits(*table, threads)),
        cpu_fma(BestCpuRate(table->peak_fp32_fma)),
        cpu_dot(BestCpuRate(table->peak_bf16_dot)),
        workspace(size_t{96} << 20, threads->num_threads(),
                  std::max(MatmulScratchBytes(8192), AttentionScratchBytes(128))),
        context{table, threads, &workspace} {}
};

std::vector<float> RandomFloats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.Uniform(-1.0f, 1.0f);
  return values;
}

struct Product {
  const char* name;
  DType dtype;
  MatmulPrecision precision;
};
constexpr Product kProducts[] = {{"gemm_f32", DType::kF32, MatmulPrecision::kF32},
                                 {"gemm_bf16_as_f32", DType::kBF16, MatmulPrecision::kF32},
                                 {"gemm_f16_as_f32", DType::kF16, MatmulPrecision::kF32},
                                 {"gemm_bf16", DType::kBF16, MatmulPrecision::kBF16}};

struct Size {
  int64_t m, n, k;
};

// Weights as stored numbers.
std::vector<uint16_t> Halves(const std::vector<float>& values, DType dtype) {
  std::vector<uint16_t> halves;
  halves.reserve(values.size());
  for (const float value : values) {
    halves.push_back(dtype == DType::kF16 ? ToFloat16(value).bits : ToBFloat16(value).bits);
  }
  return halves;
}

float Stored(float value, DType dtype) {
  if (dtype == DType::kF16) return ToFloat(ToFloat16(value));
  return dtype == DType::kBF16 ? ToFloat(ToBFloat16(value)) : value;
}

// A few elements of y against sums in double.
void VerifyProduct(const Product& product, const Size& size, const std::vector<float>& x,
                   const std::vector<float>& w, const std::vector<float>& y) {
  Random random(5);
  for (int i = 0; i < 64; ++i) {
    const auto r = static_cast<int64_t>(random.Below(static_cast<uint64_t>(size.m)));
    const auto c = static_cast<int64_t>(random.Below(static_cast<uint64_t>(size.n)));
    double sum = 0, bound = 1e-30;
    for (int64_t j = 0; j < size.k; ++j) {
      float a = x[static_cast<size_t>(r * size.k + j)];
      if (product.precision == MatmulPrecision::kBF16) a = Stored(a, DType::kBF16);
      const double term = double{a} * Stored(w[static_cast<size_t>(c * size.k + j)], product.dtype);
      sum += term;
      bound += std::fabs(term) * 5e-7;
    }
    const float got = y[static_cast<size_t>(r * size.n + c)];
    OCTAVO_CHECK(std::fabs(got - sum) <= bound, product.name, ": ", got, ", want ", sum);
  }
}

// Time of all iterations.
struct Seconds {
  double wall, cpu;
};

template <typename Work>
Seconds Time(benchmark::State& state, const Work& work) {
  const double cpu = ClockSeconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = ClockSeconds(CLOCK_MONOTONIC);
  for (auto _ : state) work();
  return {ClockSeconds(CLOCK_MONOTONIC) - wall, ClockSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu};
}

// `amount` of work per iteration; limits of all threads by the wall, of one by processor time.
void SetShare(benchmark::State& state, const char* unit, double amount, const Seconds& seconds,
              double limit, double cpu_limit) {
  const double done = amount * 1e-9 * static_cast<double>(state.iterations());
  state.counters[unit] = done / seconds.wall;
  state.counters["share_%"] = limit > 0 ? 100 * done / seconds.wall / limit : 0;
  state.counters["cpu_share_%"] = cpu_limit > 0 ? 100 * done / seconds.cpu / cpu_limit : 0;
}

// Reading once through `memory`, by all threads: 10^9 bytes per second of the wall and of processor
// time. Neighbours change it from minute to minute, so it is taken beside each figure.
void SetReadShare(benchmark::State& state, Bench* bench, double bytes, const Seconds& seconds) {
  constexpr int64_t kPiece = 1 << 20;
  constexpr int64_t kPieces = 256;
  static const std::vector<std::byte> memory(static_cast<size_t>(kPiece * kPieces), std::byte{1});
  double wall = 0, cpu = 0;
  for (int run = 0; run < 3; ++run) {
    const double cpu_start = ClockSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const double start = ClockSeconds(CLOCK_MONOTONIC);
    bench->pool->ParallelFor(kPieces, 1, [&](int64_t begin, int64_t end, int) {
      benchmark::DoNotOptimize(bench->kernels->read_memory(
          memory.data() + begin * kPiece, static_cast<size_t>((end - begin) * kPiece)));
    });
    wall += ClockSeconds(CLOCK_MONOTONIC) - start;
    cpu += ClockSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
  }
  constexpr double kRead = 3e-9 * kPiece * kPieces;
  SetShare(state, "GB/s", bytes, seconds, kRead / wall, kRead / cpu);
}

void RunProduct(benchmark::State& state, Bench* bench, Product product, Size size) {
  std::vector<float> x = RandomFloats(size.m * size.k, 1);
  std::vector<float> y(static_cast<size_t>(size.m * size.n));
  PackedWeight packed;
  {
    const std::vector<float> w = RandomFloats(size.n * size.k, 2);
    const std::vector<uint16_t> halves = Halves(w, product.dtype);
    const bool wide = product.dtype == DType::kF32;
    const auto* data = wide ? reinterpret_cast<const std::byte*>(w.data())
                            : reinterpret_cast<const std::byte*>(halves.data());
    packed = PackedWeight::Pack(bench->context, {data, product.dtype, Shape{size.n, size.k}},
                                size.n, size.k);
    MatmulOptions options;
    options.precision = product.precision;
    Matmul(bench->context, {x.data(), size.m, size.k}, packed, {y.data(), size.m, size.n}, options);
    VerifyProduct(product, size, x, w, y);
  }
  MatmulOptions options;
  options.precision = product.precision;
  const Seconds seconds = Time(state, [&] {
    Matmul(bench->context, {x.data(), size.m, size.k}, packed, {y.data(), size.m, size.n}, options);
  });
  if (size.m <= 8) {
    SetReadShare(state, bench, static_cast<double>(packed.size_bytes()), seconds);
    return;
  }
  const double flops = 2.0 * static_cast<double>(size.m * size.n) * static_cast<double>(size.k);
  const bool dot =
      product.precision == MatmulPrecision::kBF16 && bench->kernels->gemm_bf16_dot != nullptr;
  SetShare(state, "GFLOP/s", flops, seconds, dot ? bench->limits.bf16_dot : bench->limits.fp32_fma,
           dot ? bench->cpu_dot : bench->cpu_fma);
}

void RunFullAttention(benchmark::State& state, Bench* bench, int64_t rows, int heads, int dim) {
  const int64_t columns = int64_t{heads} * dim;
  const Workspace::Scope scope(&bench->workspace);
  float* qkv = bench->workspace.Allocate<float>(rows * columns * 3);
  const std::vector<float> random = RandomFloats(rows * columns * 3, 1);
  std::copy(random.begin(), random.end(), qkv);
  std::vector<float> out(static_cast<size_t>(rows * columns));
  const std::vector<int64_t> cu = {0, rows};
  FullAttentionArgs args;
  args.q = {qkv, rows, columns, 3 * columns};
  args.k = {qkv + columns, rows, columns, 3 * columns};
  args.v = {qkv + 2 * columns, rows, columns, 3 * columns};
  args.out = {out.data(), rows, columns};
  args.num_heads = heads;
  args.head_dim = dim;
  args.scale = 1.0f / std::sqrt(static_cast<float>(dim));
  args.cu_seqlens = cu;
  // Every fourth head of a few query blocks would not use all threads: all tasks of two heads.
  const int64_t tasks = FullAttentionTasks(args) / heads * std::min(heads, 2);
  F32Heads packed(heads, dim, rows);
  const Seconds seconds = Time(state, [&] {
    packed.Clear();
    FullAttention(bench->context, args, &packed, 0, tasks);
  });
  double weights = 0, expected = 0;
  for (int64_t t = 0; t < rows; ++t) {
    double score = 0;
    for (int64_t c = 0; c < dim; ++c) score += double{args.q.row(0)[c]} * args.k.row(t)[c];
    const double weight = std::exp(score * args.scale);
    weights += weight;
    expected += weight * args.v.row(t)[0];
  }
  OCTAVO_CHECK(std::fabs(out[0] - expected / weights) < 1e-5, out[0], ", want ",
               expected / weights);
  const double flops = 4.0 * static_cast<double>(rows * rows) * dim * std::min(heads, 2);
  SetShare(state, "GFLOP/s", flops, seconds, bench->limits.fp32_fma, bench->cpu_fma);
}

// One token of `batch` sequences, each over `context` tokens: bytes of the cache read per second.
void RunDecodeAttention(benchmark::State& state, Bench* bench, int64_t context, int batch,
                        DType dtype) {
  constexpr int kKvHeads = 2, kHeads = 14, kDim = 64, kBlock = 32;
  const int64_t blocks = (context + kBlock) / kBlock;
  const size_t bytes =
      static_cast<size_t>(blocks * batch * kKvHeads * kBlock * kDim) * DTypeSize(dtype);
  std::vector<std::byte> keys(bytes), values(bytes);
  const KvLayer layer{keys.data(), values.data(), dtype, kKvHeads, kDim, kBlock};
  std::vector<std::vector<int32_t>> tables(static_cast<size_t>(batch));
  std::vector<KvSequence> sequences;
  for (int s = 0; s < batch; ++s) {
    for (int64_t b = 0; b < blocks; ++b) {
      tables[static_cast<size_t>(s)].push_back(static_cast<int32_t>(s * blocks + b));
    }
    sequences.push_back({tables[static_cast<size_t>(s)], context, 1, s});
  }
  std::vector<float> q = RandomFloats(batch * kHeads * kDim, 1);
  std::vector<float> out(q.size());
  const Seconds seconds = Time(state, [&] {
    PagedAttention(bench->context, layer, sequences, 0.125f, {q.data(), batch, kHeads * kDim},
                   {out.data(), batch, kHeads * kDim});
  });
  SetReadShare(state, bench, 2 * static_cast<double>(bytes), seconds);
}

void RunPrefillAttention(benchmark::State& state, Bench* bench, int64_t tokens) {
  constexpr int kKvHeads = 2, kHeads = 14, kDim = 64, kBlock = 32;
  const int64_t blocks = (tokens + kBlock - 1) / kBlock;
  std::vector<float> keys(static_cast<size_t>(blocks * kKvHeads * kBlock * kDim));
  std::vector<float> values(keys.size());
  const KvLayer layer{reinterpret_cast<std::byte*>(keys.data()),
                      reinterpret_cast<std::byte*>(values.data()),
                      DType::kF32,
                      kKvHeads,
                      kDim,
                      kBlock};
  std::vector<int32_t> table;
  for (int64_t b = 0; b < blocks; ++b) table.push_back(static_cast<int32_t>(b));
  const std::vector<KvSequence> sequences = {{table, 0, tokens, 0}};
  std::vector<float> q = RandomFloats(tokens * kHeads * kDim, 1);
  std::vector<float> out(q.size());
  const Seconds seconds = Time(state, [&] {
    PagedAttention(bench->context, layer, sequences, 0.125f, {q.data(), tokens, kHeads * kDim},
                   {out.data(), tokens, kHeads * kDim});
  });
  const double pairs = static_cast<double>(tokens) * static_cast<double>(tokens + 1) / 2;
  SetShare(state, "GFLOP/s", 4.0 * kDim * kHeads * pairs, seconds, bench->limits.fp32_fma,
           bench->cpu_fma);
}

void RegisterTable(Bench* bench) {
  constexpr Size kSizes[] = {{1369, 3840, 1280}, {1369, 1280, 5120}, {5476, 5120, 1280},
                             {300, 4864, 896},   {1, 37984, 896},    {4, 37984, 896},
                             {8, 37984, 896}};
  const std::string table = bench->kernels->name;
  const auto add = [](const std::string& name, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->MinTime(0.3);
  };
  for (const Product& product : kProducts) {
    for (const Size& size : kSizes) {
      add(StrCat(table, "/", product.name, "/", size.m, "x", size.n, "x", size.k),
          [=](benchmark::State& state) { RunProduct(state, bench, product, size); });
    }
  }
  for (const int64_t rows : {256, 1024, 5476}) {
    add(StrCat(table, "/full_attention/", rows, "x80"),
        [=](benchmark::State& state) { RunFullAttention(state, bench, rows, 16, 80); });
  }
  add(StrCat(table, "/prefill_attention/1400"),
      [=](benchmark::State& state) { RunPrefillAttention(state, bench, 1400); });
  for (const int batch : {1, 8}) {
    add(StrCat(table, "/decode_attention_f32/1500x", batch), [=](benchmark::State& state) {
      RunDecodeAttention(state, bench, 1500, batch, DType::kF32);
    });
    add(StrCat(table, "/decode_attention_bf16/1500x", batch), [=](benchmark::State& state) {
      RunDecodeAttention(state, bench, 1500, batch, DType::kBF16);
    });
  }
}

void RegisterTables(ThreadPool* pool, std::vector<std::unique_ptr<Bench>>* benches) {
  std::vector<const KernelTable*> tables = RunnableKernels();
  if (std::getenv("OCTAVO_ISA") != nullptr) tables = {&SelectedKernels()};
  for (const KernelTable* table : tables) {
    benches->push_back(std::make_unique<Bench>(table, pool));
    const MachineLimits& limits = benches->back()->limits;
    std::printf(
        "%-20s fp32 %.1f, bf16 dot %.1f GFLOP/s; int8 dot %.1f, maddubs16 %.1f, maddubs32 "
        "%.1f, int16 %.1f GOP/s; read %.1f GB/s; per thread's own second: fp32 %.1f, bf16 dot "
        "%.1f\n",
        DescribeKernels(*table).c_str(), limits.fp32_fma, limits.bf16_dot, limits.int8_dot,
        limits.int8_maddubs16, limits.int8_maddubs32, limits.int16_madd, limits.read_gb_per_s,
        benches->back()->cpu_fma, benches->back()->cpu_dot);
    RegisterTable(benches->back().get());
  }
}

}  // namespace
}  // namespace octavo::ops

int main(int argc, char** argv) {
  std::vector<std::unique_ptr<octavo::ops::Bench>> benches;
  return octavo::RunBenchmarks(
      argc, argv, [&](octavo::ThreadPool* pool) { octavo::ops::RegisterTables(pool, &benches); });
}
