#include "ops/norm.h"

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

constexpr int64_t kRows = 5;
constexpr int64_t kCols[] = {1, 7, 16, 33, 1280};

TEST(Norm, LayerNormMatchesNaiveInPlace) {
  const TestContext context;
  for (const int64_t cols : kCols) {
    std::vector<float> x = RandomFloats(kRows * cols, 1);
    for (float& v : x) v = v * 5 + 3;
    const std::vector<float> weight = RandomFloats(cols, 2), bias = RandomFloats(cols, 3);
    std::vector<double> want;
    for (int64_t r = 0; r < kRows; ++r) {
      double mean = 0, variance = 0;
      for (int64_t c = 0; c < cols; ++c) mean += x[r * cols + c] / double(cols);
      for (int64_t c = 0; c < cols; ++c) {
        variance += (x[r * cols + c] - mean) * (x[r * cols + c] - mean) / double(cols);
      }
      for (int64_t c = 0; c < cols; ++c) {
        want.push_back((x[r * cols + c] - mean) / std::sqrt(variance + 1e-6) * weight[c] + bias[c]);
      }
    }
    LayerNorm(*context, Matrix(x, kRows), weight.data(), bias.data(), 1e-6f, Matrix(x, kRows));
    if (cols > 1) ExpectWithin(x, want, 4e-6);
  }
}

TEST(Norm, RmsNormMatchesNaiveInPlace) {
  const TestContext context;
  for (const int64_t cols : kCols) {
    std::vector<float> x = RandomFloats(kRows * cols, 1);
    const std::vector<float> weight = RandomFloats(cols, 2);
    std::vector<double> want;
    for (int64_t r = 0; r < kRows; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < cols; ++c) sum += double{x[r * cols + c]} * x[r * cols + c];
      for (int64_t c = 0; c < cols; ++c) {
        want.push_back(x[r * cols + c] / std::sqrt(sum / double(cols) + 1e-6) * weight[c]);
      }
    }
    RmsNorm(*context, Matrix(x, kRows), weight.data(), 1e-6f, Matrix(x, kRows));
    ExpectWithin(x, want, 2e-6);
  }
}

}  // namespace
}  // namespace octavo::ops
