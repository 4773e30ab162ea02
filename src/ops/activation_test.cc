#include "ops/activation.h"

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

constexpr int64_t kRows = 5;

std::vector<float> WideFloats(int64_t count) {
  std::vector<float> x = RandomFloats(count, 9);
  for (float& v : x) v *= 12;
  x[0] = 0;
  return x;
}

TEST(Activation, GeluIsTheExactOne) {
  const TestContext context;
  std::vector<float> x = WideFloats(kRows * 1000);
  std::vector<double> want, bound;
  for (const float v : x) {
    want.push_back(0.5 * v * (1 + std::erf(v / std::sqrt(2.0))));
    bound.push_back(1e-7 + 3e-7 * std::fabs(want.back()));
  }
  Gelu(*context, Matrix(x, kRows));
  ExpectWithin(x, want, bound);
}

TEST(Activation, QuickGeluMatchesNaive) {
  const TestContext context;
  std::vector<float> x = WideFloats(kRows * 1001);
  std::vector<double> want, bound;
  for (const float v : x) {
    want.push_back(v / (1 + std::exp(-1.702 * v)));
    bound.push_back(1e-30 + 3e-6 * std::fabs(want.back()));
  }
  QuickGelu(*context, Matrix(x, kRows));
  ExpectWithin(x, want, bound);
}

TEST(Activation, SiluMultiplyMatchesNaive) {
  const TestContext context;
  std::vector<float> gate = WideFloats(kRows * 1003);
  std::vector<float> up = RandomFloats(kRows * 1003, 4);
  std::vector<double> want, bound;
  for (size_t i = 0; i < gate.size(); ++i) {
    want.push_back(gate[i] / (1 + std::exp(-double{gate[i]})) * up[i]);
    bound.push_back(1e-30 + 1e-6 * std::fabs(want.back()));
  }
  SiluMultiply(*context, Matrix(gate, kRows), Matrix(up, kRows));
  ExpectWithin(gate, want, bound);
}

TEST(Activation, SaturatesWithoutNan) {
  const TestContext context;
  std::vector<float> x = {-1e30f, -200, -90, 90, 200, 1e30f};
  std::vector<float> gelu = x, silu = x, ones(6, 1.0f);
  QuickGelu(*context, Matrix(x, 1));
  Gelu(*context, Matrix(gelu, 1));
  SiluMultiply(*context, Matrix(silu, 1), Matrix(ones, 1));
  for (const auto* values : {&x, &gelu, &silu}) {
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR((*values)[i], 0, 1e-7) << i;
    EXPECT_EQ((*values)[3], 90);
    EXPECT_EQ((*values)[4], 200);
    EXPECT_EQ((*values)[5], 1e30f);
  }
}

}  // namespace
}  // namespace octavo::ops
