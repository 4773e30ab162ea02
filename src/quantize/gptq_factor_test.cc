#include "quantize/gptq_factor.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/matmul.h"
#include "ops/workspace.h"

namespace octavo {
namespace {

constexpr int64_t kK = 150;  // more than a block of columns, and no multiple of one

std::vector<float> CorrelatedRows(int64_t num_rows, int64_t k) {
  Random random(5);
  std::vector<float> rows;
  for (int64_t r = 0; r < num_rows; ++r) {
    float last = 0;
    for (int64_t i = 0; i < k; ++i) {
      last = 0.8f * last + static_cast<float>(random.Below(2001)) / 1000.0f - 1.0f;
      rows.push_back(last * (i % 17 == 3 ? 6.0f : 1.0f));
    }
  }
  return rows;
}

class GptqFactorTest : public ::testing::Test {
 protected:
  explicit GptqFactorTest(int num_threads = 2)
      : pool_(num_threads),
        workspace_(1, num_threads, ops::MatmulScratchBytes(400)),
        context_{&SelectedKernels(), &pool_, &workspace_} {}

  ThreadPool pool_;
  Workspace workspace_;
  const ops::Context context_;
};

TEST_F(GptqFactorTest, ProductsOfInputs) {
  const std::vector<float> x = CorrelatedRows(40, kK);
  const AlignedBuffer<float> products = InputProducts(context_, {x.data(), 40, kK});
  for (int64_t i = 0; i < kK; i += 7) {
    for (int64_t j = 0; j < kK; j += 11) {
      double sum = 0;
      for (int64_t r = 0; r < 40; ++r) {
        sum += static_cast<double>(x[static_cast<size_t>(r * kK + i)]) *
               static_cast<double>(x[static_cast<size_t>(r * kK + j)]);
      }
      EXPECT_NEAR(products[static_cast<size_t>(i * kK + j)], sum, 1e-3) << i << " " << j;
    }
  }
}

// (I + U) D (I + U)^T is the damped H, by places.
TEST_F(GptqFactorTest, TheFactorsMakeTheProductsAgain) {
  const std::vector<float> x = CorrelatedRows(300, kK);
  const AlignedBuffer<float> products = InputProducts(context_, {x.data(), 300, kK});
  double mean = 0;
  for (int64_t i = 0; i < kK; ++i) {
    mean += static_cast<double>(products[static_cast<size_t>(i * kK + i)]) / kK;
  }
  for (const bool is_ordered : {false, true}) {
    const GptqFactor factor = FactorInputProducts(context_, products, kK, 0.01, is_ordered);
    const auto u = [&](int64_t j, int64_t i) {
      return i == j ? 1.0 : static_cast<double>(factor.matrix().row(i)[j]);
    };
    const auto h = [&](int64_t i, int64_t j) {
      const auto a = static_cast<int64_t>(factor.order[static_cast<size_t>(i)]);
      const auto b = static_cast<int64_t>(factor.order[static_cast<size_t>(j)]);
      const auto value = static_cast<double>(products[static_cast<size_t>(a * kK + b)]);
      return i == j ? value + 0.01 * mean : value;
    };
    // D from the last place to the first.
    std::vector<double> d(kK);
    for (int64_t i = kK - 1; i >= 0; --i) {
      double rest = h(i, i);
      for (int64_t t = i + 1; t < kK; ++t) rest -= d[static_cast<size_t>(t)] * u(i, t) * u(i, t);
      d[static_cast<size_t>(i)] = rest;
      EXPECT_GT(rest, 0.0);
    }
    for (int64_t i = 0; i < kK; ++i) {
      for (int64_t j = i + 1; j < kK; ++j) {
        double sum = 0;
        for (int64_t t = j; t < kK; ++t) sum += u(i, t) * d[static_cast<size_t>(t)] * u(j, t);
        EXPECT_NEAR(sum, h(i, j), 1e-3 * mean) << i << " " << j;
      }
      if (is_ordered && i > 0) {
        EXPECT_LE(h(i, i), h(i - 1, i - 1) * 1.0001);
      }
    }
  }
}

TEST_F(GptqFactorTest, InputsWithoutRankAndDeadOnesAreFactored) {
  std::vector<float> x = CorrelatedRows(20, kK);
  for (size_t r = 0; r < 20; ++r) x[r * kK + 9] = 0;
  const AlignedBuffer<float> products = InputProducts(context_, {x.data(), 20, kK});
  const GptqFactor factor = FactorInputProducts(context_, products, kK, 1e-9, false);
  for (size_t i = 0; i < factor.rows.size(); ++i) ASSERT_TRUE(std::isfinite(factor.rows[i]));
  for (int64_t j = 0; j < 9; ++j) EXPECT_EQ(factor.matrix().row(9)[j], 0.0f);
  const AlignedBuffer<float> nothing =
      InputProducts(context_, {std::vector<float>(static_cast<size_t>(2 * kK)).data(), 2, kK});
  const GptqFactor none = FactorInputProducts(context_, nothing, kK, 0.01, true);
  for (size_t i = 0; i < none.rows.size(); ++i) ASSERT_EQ(none.rows[i], 0.0f);
}

// Finite inputs may have squares that are not: no reason to end the program.
TEST_F(GptqFactorTest, InputsWhoseSquaresPassTheRangeMakeUpForNothing) {
  std::vector<float> x = CorrelatedRows(20, kK);
  x[3 * kK + 7] = 1e20f;
  const AlignedBuffer<float> products = InputProducts(context_, {x.data(), 20, kK});
  for (const bool is_ordered : {false, true}) {
    const GptqFactor factor = FactorInputProducts(context_, products, kK, 0.01, is_ordered);
    EXPECT_EQ(factor.order.size(), static_cast<size_t>(kK));
    for (size_t i = 0; i < factor.rows.size(); ++i) ASSERT_EQ(factor.rows[i], 0.0f);
  }
}

}  // namespace
}  // namespace octavo
