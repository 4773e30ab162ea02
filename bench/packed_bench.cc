// Times products of packed 4- and 8-bit weights with 8- and 16-bit activations, for the kernel
// table in use, after it has compared their bits with the scalar table's. Each run stands between
// runs of the machine's own limit, as neighbours change both from second to second.
//
//   [OCTAVO_ISA=avx2] packed_bench [--threads=N] [--benchmark_filter=w4]
//
//   share_%      high rate (one run in ten is higher) by processor time, of that of the limit
//   median_%     the median over the runs of the rate, of the limit beside it
//   safe_%       pieces of the product that took the slower way
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
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
#include "ops/matmul.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

double CpuSeconds() { return ClockSeconds(CLOCK_PROCESS_CPUTIME_ID); }
double WallSeconds() { return ClockSeconds(CLOCK_MONOTONIC); }

// The table, its limits, and what ops need.
struct Bench {
  const KernelTable* kernels = &SelectedKernels();
  ThreadPool* pool;
  Workspace workspace;
  Context context;

  explicit Bench(ThreadPool* threads)
      : pool(threads),
        workspace(MatmulArenaBytes(1369, 5120, MatmulPrecision::kInt16), threads->num_threads(),
                  MatmulScratchBytes(5120)),
        context{kernels, threads, &workspace} {}
  // The multiply-and-add of 8-bit or 16-bit numbers that this table has.
  const PeakLoop& Limit(MatmulPrecision precision) const {
    if (precision == MatmulPrecision::kInt16) {
      if (kernels->peak_int16_dot.run != nullptr) return kernels->peak_int16_dot;
      if (kernels->peak_int16_madd.run != nullptr) return kernels->peak_int16_madd;
      return kernels->peak_fp32_fma;
    }
    if (kernels->peak_int8_dot.run != nullptr) return kernels->peak_int8_dot;
    if (kernels->peak_int8_maddubs16.run != nullptr) return kernels->peak_int8_maddubs16;
    return kernels->peak_fp32_fma;
  }
};

const std::vector<std::pair<std::string, GroupLayout>> kKinds = {
    {"w4", {4, 128, DType::kF16, false}},
    {"w8_7bit", {8, 128, DType::kF16, true}},
    {"w8", {8, 128, DType::kF16, false}}};

constexpr std::pair<MatmulPrecision, const char*> kPrecisions[] = {
    {MatmulPrecision::kInt8, "a8"}, {MatmulPrecision::kInt16, "a16"}};

struct Size {
  int64_t m, n, k;
  double operations() const {
    return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
};

// Near a normal distribution of deviation 1, as weights and activations are.
float Bell(Random* random) {
  float sum = 0;
  for (int i = 0; i < 12; ++i) sum += random->Uniform(-0.5f, 0.5f);
  return sum;
}

// What rounding a bell leaves of 8 bits when its largest of 128 numbers becomes 63.
std::vector<int8_t> BellOf7Bits() {
  Random random(3);
  std::vector<int8_t> values(4096);
  for (int8_t& v : values) {
    v = static_cast<int8_t>(std::clamp(std::lround(Bell(&random) * 63 / 2.75f), -63L, 63L));
  }
  return values;
}

// Random blocks, every byte its own.
PackedWeight RandomWeight(const GroupLayout& layout, int64_t n, int64_t k, uint64_t seed) {
  const PackedLayout whole = PackedLayout::Quantized(layout, n, k);
  auto bytes = std::make_shared<AlignedBuffer<std::byte>>(PackedBytes(whole));
  Random random(seed);
  const int64_t side = GroupSideOffset(layout);
  for (size_t at = 0; at < bytes->size(); at += static_cast<size_t>(GroupBlockBytes(layout))) {
    std::byte* block = bytes->data() + at;
    for (int64_t i = 0; i < side; i += 8) {
      const uint64_t bits = random.Next();
      std::memcpy(block + i, &bits, sizeof(bits));
    }
    if (layout.is_7bit) {
      static const std::vector<int8_t> bell = BellOf7Bits();
      for (int64_t i = 0; i < side; i += 4) {
        uint64_t bits = random.Next();
        for (int64_t j = i; j < i + 4; ++j, bits >>= 12) {
          block[j] = static_cast<std::byte>(bell[bits & 4095]);
        }
      }
    }
    std::memset(block + side, 0, kGroupSideBytes);
    for (int64_t c = 0; c < kPanelColumns; ++c) {
      const uint16_t scale = static_cast<uint16_t>(0x2000 + random.Below(0x400));
      std::memcpy(block + side + 2 * c, &scale, sizeof(scale));
      if (layout.bits == 4) {
        block[side + kGroupZeroOffset + c] = static_cast<std::byte>(6 + random.Below(4));
      }
    }
  }
  const std::byte* data = bytes->data();
  return PackedWeight::Borrow(whole, data, std::move(bytes));
}

std::vector<float> RandomRows(int64_t count) {
  Random random(7);
  std::vector<float> x(static_cast<size_t>(count));
  for (float& v : x) v = Bell(&random);
  return x;
}

MatmulOptions Options(MatmulPrecision precision, MatmulCounts* counts = nullptr) {
  MatmulOptions options;
  options.precision = precision;
  options.counts = counts;
  return options;
}

// Up to nine rows and three panels against the scalar table, bit for bit.
void Verify(const Bench& bench, const PackedWeight& w, const std::vector<float>& x, int64_t m,
            MatmulPrecision precision) {
  const int64_t rows = std::min<int64_t>(m, 9), n = std::min<int64_t>(w.n(), 48);
  PackedLayout part = w.layout();
  part.n = n;
  const PackedWeight panels = PackedWeight::Borrow(part, w.data(), nullptr);
  std::vector<float> y(static_cast<size_t>(m * n)), want(static_cast<size_t>(rows * n));
  Matmul(bench.context, {x.data(), m, w.k()}, panels, {y.data(), m, n}, Options(precision));
  Context scalar = bench.context;
  scalar.kernels = &KernelsByName("scalar");
  Matmul(scalar, {x.data(), rows, w.k()}, panels, {want.data(), rows, n}, Options(precision));
  OCTAVO_CHECK(std::memcmp(y.data(), want.data(), want.size() * sizeof(float)) == 0,
               "bits differ from the scalar table's: ", m, " x ", w.n(), " x ", w.k());
}

// Rates of runs of the work and of the limit beside it.
struct Rates {
  std::vector<double> work, wall, limit;

  // The rate that one run in ten passes: clocks err now and then, so that the best would mislead.
  static double HighOf(std::vector<double> rates) {
    const auto place = static_cast<int64_t>(rates.size() * 9 / 10);
    std::nth_element(rates.begin(), rates.begin() + place, rates.end());
    return rates[static_cast<size_t>(place)];
  }

  void Report(benchmark::State& state, const char* unit) {
    std::vector<double> shares;
    for (size_t i = 0; i < work.size(); ++i) shares.push_back(100 * work[i] / limit[i]);
    std::nth_element(shares.begin(), shares.begin() + shares.size() / 2, shares.end());
    const double high = HighOf(work), high_limit = HighOf(limit);
    state.counters[unit] = high;
    state.counters["wall"] = HighOf(wall);
    state.counters["limit"] = high_limit;
    state.counters["share_%"] = 100 * high / high_limit;
    state.counters["median_%"] = shares[shares.size() / 2];
  }
};

double RunLimit(const PeakLoop& loop) {
  constexpr int64_t kIterations = 200'000;
  double best = 0;
  for (int i = 0; i < 3; ++i) {
    const double start = CpuSeconds();
    loop.run(kIterations);
    best = std::max(
        best, loop.operations_per_iteration * double{kIterations} * 1e-9 / (CpuSeconds() - start));
  }
  return best;
}

// One thread, the slot alone: 192 rows by 8 panels that stay in the caches. Unpacking and group
// scales are in it, quantising is not.
// tails: few activations are large, as behind norms and gates of a trained model.
void RunKernel(benchmark::State& state, Bench* bench, GroupLayout layout, bool tails) {
  const Size size{192, 128, 1280};
  const PackedWeight w = RandomWeight(layout, size.n, size.k, 1);
  std::vector<float> x = RandomRows(size.m * size.k);
  if (tails) {
    for (float& v : x) v *= std::fabs(v);
  }
  Verify(*bench, w, x, size.m, MatmulPrecision::kInt8);
  const int64_t groups = size.k / layout.group_size, stride = size.k + 64;
  std::vector<int8_t> q(static_cast<size_t>(size.m * stride));
  std::vector<ActivationGroup> q_groups(static_cast<size_t>(size.m * groups));
  for (int64_t r = 0; r < size.m; ++r) {
    bench->kernels->quantize_row(x.data() + r * size.k, size.k, layout.group_size,
                                 q.data() + r * stride, q_groups.data() + r * groups);
  }
  std::vector<float> sums(static_cast<size_t>(size.m * size.n));
  int64_t pieces = 0, safe_pieces = 0;
  GemmPacked g;
  g.x = q.data();
  g.x_row_stride = stride;
  g.x_groups = q_groups.data();
  g.x_groups_row_stride = groups;
  g.w = {w.data(), GroupBlockOffset(layout, size.k, 1, 0), layout.group_size, false,
         layout.is_7bit};
  g.sums = sums.data();
  g.sums_row_stride = size.n;
  g.rows = size.m;
  g.num_groups = groups;
  g.panels = size.n / kPanelColumns;
  g.scratch = bench->workspace.ThreadScratch(0);
  g.pieces = &pieces;
  g.safe_pieces = &safe_pieces;
  const auto gemm = layout.bits == 4 ? bench->kernels->gemm_w4a8 : bench->kernels->gemm_w8a8;
  Rates rates;
  for (auto _ : state) {
    const double start = CpuSeconds();
    const double wall = WallSeconds();
    for (int i = 0; i < 4; ++i) gemm(g);
    rates.work.push_back(4e-9 * size.operations() / (CpuSeconds() - start));
    const double taken = WallSeconds() - wall;
    rates.wall.push_back(4e-9 * size.operations() / taken);
    state.SetIterationTime(taken);
    rates.limit.push_back(RunLimit(bench->Limit(MatmulPrecision::kInt8)));
  }
  rates.Report(state, "GOP/s");
  state.counters["safe_%"] =
      pieces == 0 ? 0 : 100.0 * static_cast<double>(safe_pieces) / static_cast<double>(pieces);
}

// The whole op on all threads, rates per thread.
void RunGemm(benchmark::State& state, Bench* bench, GroupLayout layout, Size size,
             MatmulPrecision precision) {
  const PackedWeight w = RandomWeight(layout, size.n, size.k, 2);
  const std::vector<float> x = RandomRows(size.m * size.k);
  std::vector<float> y(static_cast<size_t>(size.m * size.n));
  Verify(*bench, w, x, size.m, precision);
  const int threads = bench->pool->num_threads();
  MatmulCounts counts;
  Rates rates;
  for (auto _ : state) {
    const double start = CpuSeconds();
    const double wall = WallSeconds();
    Matmul(bench->context, {x.data(), size.m, size.k}, w, {y.data(), size.m, size.n},
           Options(precision, &counts));
    const double taken = WallSeconds() - wall;
    rates.work.push_back(1e-9 * size.operations() / (CpuSeconds() - start));
    rates.wall.push_back(1e-9 * size.operations() / taken / threads);
    state.SetIterationTime(taken);
    rates.limit.push_back(RunLimit(bench->Limit(precision)));
  }
  rates.Report(state, "GOP/s");
  const int64_t pieces = counts.pieces();
  state.counters["safe_%"] =
      pieces == 0 ? 0
                  : 100.0 * static_cast<double>(counts.safe_pieces()) / static_cast<double>(pieces);
}

// All matrices of the language model of MinerU2.5, once: 24 layers and the vocabulary.
std::vector<PackedWeight> LanguageModel(const GroupLayout& layout) {
  std::vector<PackedWeight> all;
  const auto add = [&](int64_t n, int64_t k) {
    all.push_back(RandomWeight(layout, n, k, all.size()));
  };
  for (int layer = 0; layer < 24; ++layer) {
    add(1152, 896);
    add(896, 896);
    add(9728, 896);
    add(896, 4864);
  }
  add(151936, 896);
  return all;
}

// A decode step's products: bytes of weights read per second of processor time, of plain reading of
// the same bytes by the same threads.
void RunDecode(benchmark::State& state, Bench* bench, GroupLayout layout, int64_t rows,
               MatmulPrecision precision) {
  static std::vector<PackedWeight> model;
  static GroupLayout have{};
  if (model.empty() || !(have == layout)) {
    model.clear();
    model = LanguageModel(layout);
    have = layout;
  }
  const std::vector<float> x = RandomRows(rows * 4864);
  std::vector<float> y(static_cast<size_t>(rows * 151936));
  double bytes = 0;
  for (const PackedWeight& w : model) bytes += static_cast<double>(w.size_bytes());
  Verify(*bench, model.front(), x, rows, precision);
  Verify(*bench, model[3], x, rows, precision);
  const auto read_all = [&] {
    constexpr int64_t kPiece = 1 << 18;
    const double start = CpuSeconds();
    for (const PackedWeight& w : model) {
      const auto pieces = static_cast<int64_t>(w.size_bytes()) / kPiece;
      bench->pool->ParallelFor(pieces, 1, [&](int64_t begin, int64_t end, int) {
        benchmark::DoNotOptimize(bench->kernels->read_memory(
            w.data() + begin * kPiece, static_cast<size_t>((end - begin) * kPiece)));
      });
    }
    double read = 0;
    for (const PackedWeight& w : model) {
      read += static_cast<double>(w.size_bytes() / size_t{kPiece} * size_t{kPiece});
    }
    return 1e-9 * read / (CpuSeconds() - start);
  };
  Rates rates;
  for (auto _ : state) {
    const double before = read_all();
    const double wall = WallSeconds();
    const double start = CpuSeconds();
    for (const PackedWeight& w : model) {
      Matmul(bench->context, {x.data(), rows, w.k()}, w, {y.data(), rows, w.n()},
             Options(precision));
    }
    rates.work.push_back(1e-9 * bytes / (CpuSeconds() - start));
    const double taken = WallSeconds() - wall;
    state.SetIterationTime(taken);
    rates.wall.push_back(1e-9 * bytes / taken);
    rates.limit.push_back((before + read_all()) / 2);
  }
  rates.Report(state, "GB/s");
}

void Register(Bench* bench) {
  constexpr Size kSizes[] = {
      {192, 3840, 1280}, {1369, 5120, 1280}, {1369, 1280, 5120}, {300, 4864, 896}};
  const std::string table = bench->kernels->name;
  const auto add = [](const std::string& name, int64_t runs, const auto& run) {
    benchmark::RegisterBenchmark(name.c_str(), run)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(runs);
  };
  for (const auto& [name, layout] : kKinds) {
    const GroupLayout kind = layout;
    for (const bool tails : {false, true}) {
      add(StrCat(table, "/kernel/", name, tails ? "a8_tails" : "a8"), 60,
          [=](benchmark::State& state) { RunKernel(state, bench, kind, tails); });
    }
    for (const auto& [precision, activations] : kPrecisions) {
      const MatmulPrecision form = precision;
      for (const Size& size : kSizes) {
        add(StrCat(table, "/gemm/", name, activations, "/", size.m, "x", size.n, "x", size.k),
            size.operations() < 4e9 ? 60 : 10,
            [=](benchmark::State& state) { RunGemm(state, bench, kind, size, form); });
      }
    }
  }
  for (const auto& [name, layout] : kKinds) {
    const GroupLayout kind = layout;
    for (const auto& [precision, activations] : kPrecisions) {
      const MatmulPrecision form = precision;
      for (const int64_t rows : {1, 4, 8}) {
        add(StrCat(table, "/decode/", name, activations, "/", rows), 9,
            [=](benchmark::State& state) { RunDecode(state, bench, kind, rows, form); });
      }
    }
  }
}

}  // namespace
}  // namespace octavo::ops

int main(int argc, char** argv) {
  std::unique_ptr<octavo::ops::Bench> bench;
  return octavo::RunBenchmarks(argc, argv, [&](octavo::ThreadPool* pool) {
    bench = std::make_unique<octavo::ops::Bench>(pool);
    std::printf("%s\n", octavo::DescribeKernels(*bench->kernels).c_str());
    octavo::ops::Register(bench.get());
  });
}
