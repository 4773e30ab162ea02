#include "ops/matmul.h"

#include <string>

#include "ops/packed_weight.h"
#include "ops/test_support.h"
#include "tensor/float16.h"

namespace octavo::ops {
namespace {

constexpr float kEps = 0x1.0p-23f;

std::vector<float> Multiply(const Context& context, std::vector<float> x, const Weight& w,
                            int64_t m, const MatmulOptions& options, std::vector<float> y) {
  Matmul(context, Matrix(x, m), w.packed, Matrix(y, m), options);
  return y;
}

struct Case {
  DType dtype;
  MatmulPrecision precision;
};
constexpr Case kCases[] = {{DType::kF32, MatmulPrecision::kF32},
                           {DType::kF16, MatmulPrecision::kF32},
                           {DType::kBF16, MatmulPrecision::kF32},
                           {DType::kBF16, MatmulPrecision::kBF16}};

// Compares with sums in double; the bound is a few roundings of sum |a||b|.
void ExpectMatchesNaive(const Context& context, const Case& c, int64_t m, int64_t n, int64_t k) {
  SCOPED_TRACE(testing::Message() << DTypeName(c.dtype) << " precision "
                                  << static_cast<int>(c.precision) << ", " << m << " x " << n
                                  << " x " << k);
  const Weight w = MakeWeight(context, c.dtype, n, k);
  const std::vector<float> x = RandomFloats(m * k, 1);
  const std::vector<float> bias = RandomFloats(n, 2);
  const std::vector<float> before = RandomFloats(m * n, 3);
  MatmulOptions options;
  options.bias = bias.data();
  options.accumulate = true;
  options.precision = c.precision;
  const std::vector<float> y = Multiply(context, x, w, m, options, before);
  std::vector<double> want, bound;
  for (int64_t r = 0; r < m; ++r) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = bias[j] + double{before[r * n + j]};
      double size = std::fabs(bias[j]) + std::fabs(before[r * n + j]);
      for (int64_t i = 0; i < k; ++i) {
        float a = x[r * k + i];
        if (c.precision == MatmulPrecision::kBF16) a = ToFloat(ToBFloat16(a));
        sum += double{a} * w.values[j * k + i];
        size += std::fabs(double{a} * w.values[j * k + i]);
      }
      want.push_back(sum);
      bound.push_back(4 * kEps * size + 1e-30);
    }
  }
  ExpectWithin(y, want, bound);
}

TEST(Matmul, MatchesNaiveForEveryRemainder) {
  const TestContext context;
  for (const Case& c : kCases) {
    for (const int64_t m : {1, 2, 3, 4, 5, 6, 7, 13}) {
      for (const int64_t n : {1, 16, 33, 80}) {
        for (const int64_t k : {1, 2, 33, 256, 257}) ExpectMatchesNaive(*context, c, m, n, k);
      }
    }
  }
}

TEST(Matmul, MatchesNaiveAcrossRowBlocks) {
  const TestContext context;
  for (const Case& c : kCases) ExpectMatchesNaive(*context, c, 200, 300, 600);
}

TEST(Matmul, BitsDoNotDependOnRowsOrThreads) {
  constexpr int64_t kN = 200, kK = 517, kM = 400;
  const std::vector<float> x = RandomFloats(kM * kK, 5);
  const TestContext one(1);
  for (const Case& c : kCases) {
    const Weight w = MakeWeight(*one, c.dtype, kN, kK);
    MatmulOptions options;
    options.precision = c.precision;
    const std::vector<float> all = Multiply(*one, x, w, kM, options, std::vector<float>(kM * kN));
    for (const int threads : {2, 4}) {
      const TestContext several(threads);
      EXPECT_TRUE(SameBits(all, Multiply(*several, x, w, kM, options, std::vector<float>(kM * kN))))
          << DTypeName(c.dtype) << ", " << threads << " threads";
    }
    for (int64_t m = 1; m <= 17; ++m) {
      const int64_t first = 19 * m;
      const std::vector<float> part(x.begin() + first * kK, x.begin() + (first + m) * kK);
      const std::vector<float> want(all.begin() + first * kN, all.begin() + (first + m) * kN);
      EXPECT_TRUE(SameBits(want, Multiply(*one, part, w, m, options, std::vector<float>(m * kN))))
          << DTypeName(c.dtype) << ", " << m << " rows";
    }
  }
}

TEST(Matmul, LeavesColumnsOutsideTheViewAlone) {
  const TestContext context;
  const Weight w = MakeWeight(*context, DType::kBF16, 20, 24);
  std::vector<float> x = RandomFloats(3 * 40, 1);
  std::vector<float> y(3 * 50, 9.0f);
  Matmul(*context, Matrix(x, 3).Cols(5, 24), w.packed, Matrix(y, 3).Cols(10, 20), {});
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t c = 0; c < 50; ++c) {
      if (c >= 10 && c < 30) continue;
      EXPECT_EQ(y[r * 50 + c], 9.0f) << r << ", " << c;
    }
  }
}

}  // namespace
}  // namespace octavo::ops
