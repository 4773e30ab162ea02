// What the tests of this floor share: a context, random matrices, naive doubles.
#ifndef OCTAVO_OPS_TEST_SUPPORT_H_
#define OCTAVO_OPS_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/attention.h"
#include "ops/context.h"
#include "ops/matmul.h"
#include "ops/workspace.h"

namespace octavo::ops {

// A pool, a workspace and a kernel table for the length of a test.
class TestContext {
 public:
  explicit TestContext(int threads = 2, const KernelTable& kernels = SelectedKernels())
      : pool_(threads),
        workspace_(1 << 20, threads,
                   std::max(MatmulScratchBytes(8192), AttentionScratchBytes(256))),
        context_{&kernels, &pool_, &workspace_} {}
  const Context& operator*() const { return context_; }

 private:
  ThreadPool pool_;
  Workspace workspace_;
  Context context_;
};

// Uniform numbers in [-1, 1).
inline std::vector<float> RandomFloats(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = random.Uniform(-1.0f, 1.0f);
  return values;
}

inline FloatMatrix Matrix(std::vector<float>& values, int64_t rows) {
  const int64_t cols = rows == 0 ? 0 : static_cast<int64_t>(values.size()) / rows;
  return {values.data(), rows, cols};
}

inline bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Largest |a - b| / bound, with its place in the message of a failure.
inline void ExpectWithin(const std::vector<float>& got, const std::vector<double>& want,
                         const std::vector<double>& bound) {
  ASSERT_EQ(got.size(), want.size());
  double worst = 0;
  size_t place = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double share = std::fabs(got[i] - want[i]) / bound[i];
    if (!(share <= worst)) {
      worst = share;
      place = i;
    }
  }
  EXPECT_TRUE(worst <= 1.0) << "element " << place << ": got " << got[place] << ", want "
                            << want[place] << ", allowed error " << bound[place];
}

inline void ExpectWithin(const std::vector<float>& got, const std::vector<double>& want,
                         double bound) {
  ExpectWithin(got, want, std::vector<double>(want.size(), bound));
}

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_TEST_SUPPORT_H_
