// Norms, activations, rotary positions and embedding: ops that walk rows once.
#include <algorithm>

#include "ops/activation.h"
#include "ops/embedding.h"
#include "ops/norm.h"
#include "ops/rope.h"
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

TEST(Rope, TurnsEachHeadByHalves) {
  const TestContext context;
  for (const int dim : {2, 64, 80}) {
    constexpr int kHeads = 3;
    std::vector<float> x = RandomFloats(kRows * kHeads * dim, 1);
    std::vector<float> angle = RandomFloats(kRows * dim / 2, 2), cos, sin;
    for (const float a : angle) {
      cos.push_back(std::cos(3 * a));
      sin.push_back(std::sin(3 * a));
    }
    std::vector<double> want;
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t h = 0; h < kHeads; ++h) {
        const float* head = x.data() + (r * kHeads + h) * dim;
        for (int64_t j = 0; j < dim; ++j) {
          const int64_t i = j % (dim / 2), at = r * dim / 2 + i;
          const double a = head[i], b = head[i + dim / 2];
          want.push_back(j < dim / 2 ? a * cos[at] - b * sin[at] : b * cos[at] + a * sin[at]);
        }
      }
    }
    ApplyRotary(*context, Matrix(x, kRows), kHeads, dim, Matrix(cos, kRows), Matrix(sin, kRows));
    ExpectWithin(x, want, 2.5e-7);
  }
}

TEST(Embedding, GathersRows) {
  const TestContext context;
  const std::vector<float> values = RandomFloats(30 * 12, 1);
  const TensorView view{reinterpret_cast<const std::byte*>(values.data()), DType::kF32,
                        Shape{30, 12}};
  const PackedWeight table = PackedWeight::Pack(*context, view, 30, 12);
  const std::vector<int32_t> ids = {29, 0, 7, 7};
  std::vector<float> out(ids.size() * 12);
  Embedding(*context, table, ids, Matrix(out, 4));
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t c = 0; c < 12; ++c) {
      EXPECT_EQ(out[i * 12 + c], values[static_cast<size_t>(ids[i]) * 12 + c]);
    }
  }
}

TEST(Workspace, ScopesGiveBackAndPeakStays) {
  Workspace workspace(1024, 2, 100);
  {
    const Workspace::Scope scope(&workspace);
    float* a = workspace.Allocate<float>(10);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
    EXPECT_EQ(workspace.used_bytes(), 64u);
    workspace.Allocate<std::byte>(65);
    EXPECT_EQ(workspace.used_bytes(), 192u);
  }
  EXPECT_EQ(workspace.used_bytes(), 0u);
  EXPECT_EQ(workspace.peak_bytes(), 192u);
  EXPECT_GE(workspace.scratch_bytes_per_thread(), 100u);
  EXPECT_GE(workspace.ThreadScratch(1) - workspace.ThreadScratch(0), 100);
}

TEST(WorkspaceDeathTest, StopsWhenItDoesNotFit) {
  Workspace workspace(64, 1, 64);
  workspace.Allocate<float>(16);
  EXPECT_DEATH(workspace.Allocate<float>(1), "bytes wanted");
}

}  // namespace
}  // namespace octavo::ops
