#include "ops/rope.h"

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

constexpr int64_t kRows = 5;

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

}  // namespace
}  // namespace octavo::ops
