#include "quantize/awq_search.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/matmul.h"
#include "ops/workspace.h"

namespace octavo {
namespace {

constexpr int64_t kK = 128;
constexpr int64_t kN = 48;
constexpr int64_t kRows = 64;

float Normal(Random* random) {
  float sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<float>(random->Below(10001)) / 10000.0f;
  return sum - 6;
}

// Inputs whose columns 5 and 77 are `outlier` times as large as the others.
LinearInputs MakeInputs(float outlier) {
  Random random(3);
  LinearInputs inputs;
  inputs.k = kK;
  inputs.num_seen = kRows;
  inputs.sum_abs.resize(kK);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t i = 0; i < kK; ++i) {
      const float x = Normal(&random) * (i == 5 || i == 77 ? outlier : 1.0f);
      inputs.rows.push_back(x);
      inputs.sum_abs[static_cast<size_t>(i)] += static_cast<double>(std::abs(x));
    }
  }
  return inputs;
}

SearchedLinear MakeLinear(uint64_t seed, float spike = 1) {
  Random random(seed);
  SearchedLinear linear;
  linear.layout = PackedLayout::Quantized({.bits = 4, .group_size = 64}, kN, kK);
  linear.weights = AlignedBuffer<float>(static_cast<size_t>(kN * kK));
  for (int64_t i = 0; i < kN * kK; ++i) {
    linear.weights[static_cast<size_t>(i)] = Normal(&random) * (i % 64 == 13 ? spike : 1.0f);
  }
  return linear;
}

class AwqSearchTest : public ::testing::Test {
 protected:
  explicit AwqSearchTest(int num_threads = 2)
      : pool_(num_threads),
        workspace_(1 << 20, num_threads, ops::MatmulScratchBytes(kK)),
        context_{&SelectedKernels(), &pool_, &workspace_},
        search_(context_) {}

  // Error at the output after rounding, with and without factors.
  double ErrorWith(const LinearInputs& inputs, const SearchedLinear& linear,
                   const std::vector<float>& scales, const std::vector<float>& clip = {}) {
    AlignedBuffer<float> changed = Copy(linear.weights);
    for (int64_t i = 0; i < kN * kK; ++i) {
      float& w = changed[static_cast<size_t>(i)];
      if (!scales.empty()) w *= scales[static_cast<size_t>(i % kK)];
      if (clip.empty()) continue;
      const float limit = clip[static_cast<size_t>(i / 64)];
      w = std::clamp(w, -limit, limit);
    }
    search_.Round(linear.layout, &changed);
    for (int64_t i = 0; i < kN * kK && !scales.empty(); ++i) {
      changed[static_cast<size_t>(i)] /= scales[static_cast<size_t>(i % kK)];
    }
    return search_.OutputError(inputs, linear, changed);
  }

  ThreadPool pool_;
  Workspace workspace_;
  const ops::Context context_;
  const AwqSearch search_;
};

TEST_F(AwqSearchTest, ScalesFollowLargeInputs) {
  const LinearInputs inputs = MakeInputs(50);
  std::vector<SearchedLinear> linears;
  linears.push_back(MakeLinear(1));
  linears.push_back(MakeLinear(2));
  const std::vector<float> scales = search_.FindScales(inputs, linears, {});
  ASSERT_EQ(scales.size(), static_cast<size_t>(kK));
  EXPECT_GT(scales[5], 1.5f * scales[6]);
  for (const SearchedLinear& linear : linears) {
    EXPECT_LT(ErrorWith(inputs, linear, scales), 0.64 * ErrorWith(inputs, linear, {}));
  }
}

TEST_F(AwqSearchTest, SharedChannelsShareTheirFactor) {
  const LinearInputs inputs = MakeInputs(50);
  std::vector<SearchedLinear> linears;
  linears.push_back(MakeLinear(1));
  std::vector<int32_t> channels;
  for (int32_t i = 0; i < kK; ++i) channels.push_back(i % 32);
  const std::vector<float> scales = search_.FindScales(inputs, linears, channels);
  ASSERT_EQ(scales.size(), static_cast<size_t>(kK));
  for (size_t i = 32; i < scales.size(); ++i) EXPECT_EQ(scales[i], scales[i % 32]);
}

TEST_F(AwqSearchTest, ClippingLowersTheErrorOfSpikyWeights) {
  const LinearInputs inputs = MakeInputs(1);
  const SearchedLinear linear = MakeLinear(4, 2.0f);
  const std::vector<float> clip = search_.FindClip(inputs, {}, linear, 8);
  ASSERT_EQ(clip.size(), static_cast<size_t>(kN * 2));
  EXPECT_LT(ErrorWith(inputs, linear, {}, clip), ErrorWith(inputs, linear, {}));
  // Rows before the first keep their largest weight.
  for (int64_t i = 0; i < 8 * kK; ++i) {
    EXPECT_LE(std::abs(linear.weights[static_cast<size_t>(i)]), clip[static_cast<size_t>(i / 64)]);
  }
}

TEST_F(AwqSearchTest, TheSameBitsForAnyNumberOfThreads) {
  const LinearInputs inputs = MakeInputs(20);
  std::vector<SearchedLinear> linears;
  linears.push_back(MakeLinear(1));
  ThreadPool pool(5);
  Workspace workspace(1 << 20, 5, ops::MatmulScratchBytes(kK));
  const ops::Context context = {&SelectedKernels(), &pool, &workspace};
  const AwqSearch other(context);
  const std::vector<float> scales = search_.FindScales(inputs, linears, {});
  EXPECT_EQ(other.FindScales(inputs, linears, {}), scales);
  EXPECT_EQ(other.FindClip(inputs, scales, linears[0], 0),
            search_.FindClip(inputs, scales, linears[0], 0));
}

}  // namespace
}  // namespace octavo
