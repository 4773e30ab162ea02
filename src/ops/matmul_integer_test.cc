#include "ops/matmul_integer.h"

#include <cmath>

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

std::vector<float> Multiply(const Context& context, std::vector<float> x, const PackedWeight& w,
                            int64_t m, const MatmulOptions& options, std::vector<float> y) {
  Matmul(context, Matrix(x, m), w, Matrix(y, m), options);
  return y;
}

// Once for activations of 8 bits and once for 16.
class MatmulInteger : public testing::TestWithParam<MatmulPrecision> {
 protected:
  static MatmulOptions Options() {
    MatmulOptions options;
    options.precision = GetParam();
    return options;
  }
};

// Quantised activations of one row, as packed_gemm.h defines them.
struct Quantized {
  std::vector<float> q, scale;
  Quantized(const float* x, int64_t k, int group_size, float range) {
    for (int64_t begin = 0; begin < k; begin += group_size) {
      float most = 0;
      for (int i = 0; i < group_size; ++i) most = std::max(most, std::fabs(x[begin + i]));
      scale.push_back(most / range);
      for (int i = 0; i < group_size; ++i) q.push_back(std::nearbyint(x[begin + i] / scale.back()));
    }
  }
};

// The definition, element by element.
std::vector<float> Define(const std::vector<float>& x, const PackedWeight& w, int64_t m,
                          const MatmulOptions& options, std::vector<float> y) {
  const GroupLayout& layout = w.layout().group;
  const float range = options.precision == MatmulPrecision::kInt8 ? 127 : 32767;
  for (int64_t r = 0; r < m; ++r) {
    const Quantized row(x.data() + r * w.k(), w.k(), layout.group_size, range);
    for (int64_t n = 0; n < w.n(); ++n) {
      const auto column = static_cast<int>(n % kPanelColumns);
      float sum = 0;
      for (int64_t g = 0; g < w.k() / layout.group_size; ++g) {
        const std::byte* block = w.data() + GroupBlockOffset(layout, w.k(), n / kPanelColumns, g);
        int dot = 0;
        for (int i = 0; i < layout.group_size; ++i) {
          dot += (GroupQ(layout, block, column, i) - GroupZero(layout, block, column)) *
                 static_cast<int>(row.q[static_cast<size_t>(g * layout.group_size + i)]);
        }
        const float scale = GroupScale(layout, block, column) * row.scale[static_cast<size_t>(g)];
        sum = std::fma(static_cast<float>(dot), scale, sum);
      }
      if (options.bias != nullptr) sum += options.bias[n];
      float& out = y[static_cast<size_t>(r * w.n() + n)];
      out = options.accumulate ? sum + out : sum;
    }
  }
  return y;
}

TEST_P(MatmulInteger, GivesTheDefinitionsBitsInEveryTable) {
  for (const KernelTable* table : RunnableKernels()) {
    const TestContext context(2, *table);
    for (const GroupLayout& layout : SomeGroupLayouts()) {
      for (const int64_t n : {1, 16, 33, 80}) {
        const int64_t k = 3 * layout.group_size;
        const Weight w = MakeGroupWeight(layout, n, k);
        const std::vector<float> bias = RandomFloats(n, 2);
        for (const int64_t m : {1, 2, 3, 4, 5, 8, 13, 17, 23}) {
          const std::vector<float> x = RandomFloats(m * k, 1), before = RandomFloats(m * n, 3);
          MatmulOptions options = Options();
          options.bias = bias.data();
          options.accumulate = true;
          EXPECT_TRUE(SameBits(Multiply(*context, x, w.packed, m, options, before),
                               Define(x, w.packed, m, options, before)))
              << table->name << ", " << w.packed.layout().Describe() << ", " << m << " x " << n;
        }
      }
    }
  }
}

TEST_P(MatmulInteger, IsNearTheProductOfUnroundedActivations) {
  const TestContext context;
  for (const GroupLayout& layout : SomeGroupLayouts()) {
    constexpr int64_t kM = 9, kN = 48, kK = 896;
    const Weight w = MakeGroupWeight(layout, kN, kK);
    const std::vector<float> x = RandomFloats(kM * kK, 1);
    const std::vector<float> rounded =
        Multiply(*context, x, w.packed, kM, Options(), std::vector<float>(kM * kN));
    const std::vector<float> exact =
        Multiply(*context, x, w.packed, kM, {}, std::vector<float>(kM * kN));
    double error = 0, size = 0;
    for (size_t i = 0; i < exact.size(); ++i) {
      error += std::pow(rounded[i] - exact[i], 2);
      size += std::pow(exact[i], 2);
    }
    EXPECT_LT(std::sqrt(error / size), GetParam() == MatmulPrecision::kInt8 ? 0.01 : 4e-5)
        << w.packed.layout().Describe();
    EXPECT_GT(error, 0);
  }
}

TEST_P(MatmulInteger, BitsDoNotDependOnRowsOrThreads) {
  constexpr int64_t kN = 200, kK = 1280, kM = 800;  // more rows than are quantised at once
  const std::vector<float> x = RandomFloats(kM * kK, 5);
  const TestContext one(1);
  for (const GroupLayout& layout :
       {GroupLayout{4, 128, DType::kF16, false}, GroupLayout{8, 128, DType::kF16, true}}) {
    const Weight w = MakeGroupWeight(layout, kN, kK);
    const std::vector<float> all =
        Multiply(*one, x, w.packed, kM, Options(), std::vector<float>(kM * kN));
    for (const int threads : {2, 4}) {
      const TestContext several(threads);
      EXPECT_TRUE(SameBits(
          all, Multiply(*several, x, w.packed, kM, Options(), std::vector<float>(kM * kN))))
          << threads << " threads";
    }
    for (int64_t m = 1; m <= 17; ++m) {
      const int64_t first = 41 * m;
      const std::vector<float> part(x.begin() + first * kK, x.begin() + (first + m) * kK);
      const std::vector<float> want(all.begin() + first * kN, all.begin() + (first + m) * kN);
      EXPECT_TRUE(
          SameBits(want, Multiply(*one, part, w.packed, m, Options(), std::vector<float>(m * kN))))
          << m << " rows";
    }
  }
}

// f32 arithmetic on quantised weights is that on the numbers they stand for.
TEST(Matmul, InF32QuantisedWeightsCountAsTheirNumbers) {
  const TestContext context;
  for (const GroupLayout& layout : SomeGroupLayouts()) {
    for (const int64_t k : {128, 640}) {
      constexpr int64_t kN = 75;
      const Weight w = MakeGroupWeight(layout, kN, k);
      const TensorView view{reinterpret_cast<const std::byte*>(w.values.data()), DType::kF32,
                            Shape{kN, k}};
      const PackedWeight wide = PackedWeight::Pack(*context, view, kN, k);
      for (const int64_t m : {1, 4, 17, 19, 200}) {
        const std::vector<float> x = RandomFloats(m * k, 1);
        for (const MatmulPrecision precision : {MatmulPrecision::kF32, MatmulPrecision::kBF16}) {
          MatmulOptions options;
          options.precision = precision;
          const std::vector<float> y(static_cast<size_t>(m * kN));
          EXPECT_TRUE(SameBits(Multiply(*context, x, w.packed, m, options, y),
                               Multiply(*context, x, wide, m, {}, y)))
              << w.packed.layout().Describe() << ", " << m << " rows, k " << k;
        }
      }
    }
  }
}

// Products of the same activations together, against each alone. The second is wider than the
// others.
void ExpectTheSameTogether(const Context& context, MatmulPrecision precision,
                           const std::vector<const Weight*>& weights, int64_t m) {
  const int64_t k = weights[0]->packed.k();
  std::vector<float> x = RandomFloats(m * k, 1);
  std::vector<std::vector<float>> together, biases;
  for (const Weight* w : weights) {
    together.push_back(RandomFloats(m * w->packed.n(), 2));
    biases.push_back(RandomFloats(w->packed.n(), 3));
  }
  const std::vector<std::vector<float>> before = together;
  std::vector<MatmulPart> parts;
  for (size_t i = 0; i < weights.size(); ++i) {
    MatmulOptions options;
    options.precision = precision;
    options.bias = i == 1 ? nullptr : biases[i].data();
    options.accumulate = i == 2;
    parts.push_back({&weights[i]->packed, Matrix(together[i], m), options});
  }
  MatmulEach(context, Matrix(x, m), parts);
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(SameBits(together[i],
                         Multiply(context, x, weights[i]->packed, m, parts[i].options, before[i])))
        << "part " << i << ", " << m << " rows";
  }
}

TEST_P(MatmulInteger, SeveralProductsTogetherHaveTheBitsOfEach) {
  constexpr int64_t kK = 256;
  const GroupLayout w4{4, 128, DType::kF16, false}, w8{8, 128, DType::kF16, true};
  const GroupLayout small{4, 64, DType::kF16, false};
  for (const int threads : {1, 3}) {
    const TestContext context(threads);
    const Weight a = MakeGroupWeight(w4, 128, kK), b = MakeGroupWeight(w4, 900, kK);
    const Weight c = MakeGroupWeight(w8, 33, kK), d = MakeGroupWeight(small, 48, kK);
    const Weight f = MakeWeight(*context, DType::kBF16, 20, kK);
    for (const int64_t m : {1, 4, 8, 19, 200, 800}) {
      ExpectTheSameTogether(*context, GetParam(), {&a, &b}, m);
      ExpectTheSameTogether(*context, GetParam(), {&a, &b, &c}, m);  // of 4 and 8 bits
      ExpectTheSameTogether(*context, GetParam(), {&d, &d, &d, &d}, m);
      ExpectTheSameTogether(*context, GetParam(), {&a, &b, &d},
                            m);                                  // groups of two sizes: one by one
      ExpectTheSameTogether(*context, GetParam(), {&a, &f}, m);  // one is of floats
    }
  }
}

TEST_P(MatmulInteger, FloatWeightsRunInF32) {
  const TestContext context;
  const Weight w = MakeWeight(*context, DType::kBF16, 20, 64);
  const std::vector<float> x = RandomFloats(3 * 64, 1);
  EXPECT_TRUE(SameBits(Multiply(*context, x, w.packed, 3, Options(), std::vector<float>(60)),
                       Multiply(*context, x, w.packed, 3, {}, std::vector<float>(60))));
}

TEST_P(MatmulInteger, CountsWhatTookTheSlowerWay) {
  const TestContext context;
  const Weight w = MakeGroupWeight(GroupLayout{}, 64, 256);
  MatmulCounts counts;
  MatmulOptions options = Options();
  options.counts = &counts;
  std::vector<float> x = RandomFloats(24 * 256, 1);
  for (float& v : x) v *= v * v;  // few large numbers, as activations are
  Multiply(*context, x, w.packed, 24, options, std::vector<float>(24 * 64));
  EXPECT_LE(counts.safe_pieces(), counts.pieces() / 2);
  const int64_t pieces = counts.pieces();
  // Rows of one size: every sum of 16 bits might overflow.
  Multiply(*context, std::vector<float>(24 * 256, 1.0f), w.packed, 24, options,
           std::vector<float>(24 * 64));
  EXPECT_EQ(counts.pieces(), 2 * pieces);
  EXPECT_GE(counts.safe_pieces(), pieces);
  if (GetParam() == MatmulPrecision::kInt16) {
    EXPECT_EQ(counts.pieces(), 0);  // such sums always fit
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, MatmulInteger,
                         testing::Values(MatmulPrecision::kInt8, MatmulPrecision::kInt16),
                         [](const auto& param_info) {
                           return param_info.param == MatmulPrecision::kInt8 ? "int8" : "int16";
                         });

TEST_P(MatmulInteger, TakesNoMoreOfTheArenaThanItSays) {
  constexpr int64_t kM = 800, kK = 320, kN = 16;
  const TestContext context;
  const Weight w = MakeGroupWeight(GroupLayout{4, 32, DType::kF16, false}, kN, kK);
  Workspace workspace(MatmulArenaBytes(kM, kK, GetParam()), 2, MatmulScratchBytes(kK));
  Context tight = *context;
  tight.workspace = &workspace;
  const std::vector<float> x = RandomFloats(kM * kK, 1);
  EXPECT_TRUE(
      SameBits(Multiply(tight, x, w.packed, kM, Options(), std::vector<float>(kM * kN)),
               Multiply(*context, x, w.packed, kM, Options(), std::vector<float>(kM * kN))));
  EXPECT_EQ(workspace.used_bytes(), 0u);
}

}  // namespace
}  // namespace octavo::ops
