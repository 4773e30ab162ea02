#include "quantize/gptq.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "ops/matmul.h"
#include "ops/workspace.h"
#include "quantize/awq_search.h"
#include "quantize/group_rounding.h"
#include "quantize/test_support.h"

namespace octavo {
namespace {

constexpr int64_t kK = 128;
constexpr int64_t kN = 40;  // not a whole number of panels
constexpr int kGroup = 32;

float Uniform(Random* random) { return static_cast<float>(random->Below(2001)) / 1000.0f - 1.0f; }

// Neighbours resemble each other, and a few inputs are large.
LinearInputs CorrelatedInputs(int64_t num_rows, uint64_t seed) {
  Random random(seed);
  LinearInputs inputs;
  inputs.k = kK;
  inputs.num_seen = num_rows;
  for (int64_t r = 0; r < num_rows; ++r) {
    float last = 0;
    for (int64_t i = 0; i < kK; ++i) {
      last = 0.9f * last + Uniform(&random);
      inputs.rows.push_back(last * (i % 29 == 4 ? 5.0f : 1.0f));
    }
  }
  return inputs;
}

SearchedLinear MakeLinear(uint64_t seed) {
  Random random(seed);
  SearchedLinear linear;
  linear.layout = PackedLayout::Quantized({.bits = 4, .group_size = kGroup}, kN, kK);
  linear.weights = AlignedBuffer<float>(static_cast<size_t>(kN * kK));
  for (size_t i = 0; i < linear.weights.size(); ++i) linear.weights[i] = Uniform(&random);
  return linear;
}

// The updates as arXiv 2210.17323 has them, in doubles and one step after the other: the inverse of
// H, its upper Cholesky factor, each error spread over all columns behind. places: [K].
class PlainGptq {
 public:
  PlainGptq(const LinearInputs& inputs, double damping, std::vector<int32_t> places)
      : places_(std::move(places)), h_(static_cast<size_t>(kK * kK)) {
    double mean = 0;
    for (int64_t i = 0; i < kK; ++i) {
      for (int64_t j = 0; j < kK; ++j) {
        double sum = 0;
        for (int64_t r = 0; r < inputs.num_rows(); ++r) {
          const float* const row = inputs.matrix().row(r);
          sum += static_cast<double>(row[Place(i)]) * static_cast<double>(row[Place(j)]);
        }
        At(&h_, i, j) = sum;
      }
      mean += At(&h_, i, i) / kK;
    }
    for (int64_t i = 0; i < kK; ++i) At(&h_, i, i) += damping * mean;
    Invert();
    FactorUpper();
  }

  // w: [K] by columns, rounded in place.
  void RoundRow(const GroupLayout& layout, std::vector<float>* w, bool is_static) const {
    std::vector<double> rest;
    for (int64_t i = 0; i < kK; ++i) rest.push_back(static_cast<double>((*w)[At(i)]));
    std::vector<GroupRange> ranges(kK / kGroup);
    for (int64_t g = 0; is_static && g < kK / kGroup; ++g) {
      ranges[static_cast<size_t>(g)] = FindGroupRange(layout, w->data() + g * kGroup, kGroup);
    }
    for (int64_t i = 0; i < kK; ++i) {
      if (!is_static && i % kGroup == 0) {
        std::vector<float> group;
        for (int64_t j = i; j < i + kGroup; ++j) {
          group.push_back(static_cast<float>(rest[static_cast<size_t>(j)]));
        }
        ranges[static_cast<size_t>(i / kGroup)] = FindGroupRange(layout, group.data(), kGroup);
      }
      const auto now = static_cast<float>(rest[static_cast<size_t>(i)]);
      float rounded;
      RoundGroupToFloats(ranges[static_cast<size_t>(Place(i) / kGroup)], &now, 1, &rounded);
      (*w)[At(i)] = rounded;
      const double error =
          (rest[static_cast<size_t>(i)] - static_cast<double>(rounded)) / At(&upper_, i, i);
      for (int64_t j = i; j < kK; ++j) rest[static_cast<size_t>(j)] -= error * At(&upper_, i, j);
    }
  }

 private:
  int64_t Place(int64_t i) const { return places_[static_cast<size_t>(i)]; }
  size_t At(int64_t i) const { return static_cast<size_t>(Place(i)); }
  static double& At(std::vector<double>* m, int64_t i, int64_t j) {
    return (*m)[static_cast<size_t>(i * kK + j)];
  }
  static double At(const std::vector<double>* m, int64_t i, int64_t j) {
    return (*m)[static_cast<size_t>(i * kK + j)];
  }

  // Gauss and Jordan.
  void Invert() {
    inverse_.resize(h_.size());
    for (int64_t i = 0; i < kK; ++i) At(&inverse_, i, i) = 1;
    for (int64_t p = 0; p < kK; ++p) {
      const double pivot = At(&h_, p, p);
      for (int64_t j = 0; j < kK; ++j) {
        At(&h_, p, j) /= pivot;
        At(&inverse_, p, j) /= pivot;
      }
      for (int64_t i = 0; i < kK; ++i) {
        const double factor = At(&h_, i, p);
        if (i == p || factor == 0) continue;
        for (int64_t j = 0; j < kK; ++j) {
          At(&h_, i, j) -= factor * At(&h_, p, j);
          At(&inverse_, i, j) -= factor * At(&inverse_, p, j);
        }
      }
    }
  }

  // inverse = upper^T upper.
  void FactorUpper() {
    upper_.resize(inverse_.size());
    for (int64_t i = 0; i < kK; ++i) {
      for (int64_t j = i; j < kK; ++j) {
        double sum = At(&inverse_, i, j);
        for (int64_t t = 0; t < i; ++t) sum -= At(&upper_, t, i) * At(&upper_, t, j);
        At(&upper_, i, j) = j == i ? std::sqrt(sum) : sum / At(&upper_, i, i);
      }
    }
  }

  const std::vector<int32_t> places_;
  std::vector<double> h_;
  std::vector<double> inverse_;
  std::vector<double> upper_;
};

class GptqTest : public ::testing::Test {
 protected:
  explicit GptqTest(int num_threads = 2)
      : pool_(num_threads),
        workspace_(1, num_threads, ops::MatmulScratchBytes(512)),
        context_{&SelectedKernels(), &pool_, &workspace_},
        search_(context_) {}

  GptqRounding Round(const LinearInputs& inputs, const SearchedLinear& linear, bool is_ordered) {
    return RoundByGptq(context_, Factor(inputs, is_ordered), linear);
  }
  GptqFactor Factor(const LinearInputs& inputs, bool is_ordered) {
    return FactorInputProducts(context_, InputProducts(context_, inputs.matrix()), kK, 0.01,
                               is_ordered);
  }

  ThreadPool pool_;
  Workspace workspace_;
  const ops::Context context_;
  const AwqSearch search_;
};

TEST_F(GptqTest, RoundsAsThePlainAlgorithmDoes) {
  const LinearInputs inputs = CorrelatedInputs(200, 1);
  const SearchedLinear linear = MakeLinear(2);
  for (const bool is_ordered : {false, true}) {
    const GptqRounding rounding = Round(inputs, linear, is_ordered);
    ASSERT_TRUE(rounding.is_in_range);
    const PlainGptq plain(inputs, 0.01, Factor(inputs, is_ordered).order);
    int num_equal = 0;
    for (int64_t r = 0; r < kN; ++r) {
      std::vector<float> row(linear.weights.data() + r * kK, linear.weights.data() + (r + 1) * kK);
      plain.RoundRow(linear.layout.group, &row, is_ordered);
      const float* const found = rounding.values.data() + r * kK;
      num_equal += std::equal(row.begin(), row.end(), found) ? 1 : 0;
    }
    // A tie that falls the other way in f32 changes what follows in its row.
    EXPECT_GE(num_equal, kN * 9 / 10) << is_ordered;
  }
}

TEST_F(GptqTest, BeatsRoundingToNearestOnCorrelatedInputs) {
  const LinearInputs inputs = CorrelatedInputs(256, 1);
  const LinearInputs unseen = CorrelatedInputs(256, 9);
  const SearchedLinear linear = MakeLinear(2);
  AlignedBuffer<float> nearest = Copy(linear.weights);
  search_.Round(linear.layout, &nearest);
  const double before = search_.OutputError(unseen, linear, nearest);
  for (const bool is_ordered : {false, true}) {
    const GptqRounding rounding = Round(inputs, linear, is_ordered);
    const double after = search_.OutputError(unseen, linear, rounding.values);
    EXPECT_LT(after, 0.5 * before) << is_ordered;
    EXPECT_GT(after, 0.0);
  }
}

TEST_F(GptqTest, PacksWhatItFound) {
  const LinearInputs inputs = CorrelatedInputs(100, 3);
  const SearchedLinear linear = MakeLinear(4);
  for (const bool is_ordered : {false, true}) {
    const GptqRounding rounding = Round(inputs, linear, is_ordered);
    ASSERT_EQ(rounding.packed.size(), PackedBytes(linear.layout));
    for (int64_t r = 0; r < kN; ++r) {
      std::vector<float> row(kK);
      UnpackPackedRow(linear.layout, rounding.packed.data(), r, row.data());
      EXPECT_TRUE(std::equal(row.begin(), row.end(), rounding.values.data() + r * kK)) << r;
    }
  }
}

TEST_F(GptqTest, TheSameBytesForAnyNumberOfThreads) {
  const LinearInputs inputs = CorrelatedInputs(100, 3);
  const SearchedLinear linear = MakeLinear(4);
  ThreadPool pool(5);
  Workspace workspace(1, 5, ops::MatmulScratchBytes(512));
  const ops::Context context = {&SelectedKernels(), &pool, &workspace};
  for (const bool is_ordered : {false, true}) {
    const GptqFactor factor =
        FactorInputProducts(context, InputProducts(context, inputs.matrix()), kK, 0.01, is_ordered);
    EXPECT_EQ(RoundByGptq(context, factor, linear).packed,
              Round(inputs, linear, is_ordered).packed);
  }
}

TEST_F(GptqTest, ScalesThatDoNotFitAreSaid) {
  const LinearInputs inputs = CorrelatedInputs(100, 3);
  SearchedLinear linear = MakeLinear(4);
  linear.weights[5] = 3e6f;
  EXPECT_FALSE(Round(inputs, linear, false).is_in_range);
  EXPECT_FALSE(Round(inputs, linear, true).is_in_range);
}

// A whole group of a model: what is found is not worse than rounding to nearest, on rows that did
// not take part.
TEST_F(GptqTest, AModelsLayersAreRoundedAndTheirErrorsSaid) {
  const auto checkpoint = testing::WithOutliers(10);
  const ModelConfig config = LoadModelConfig(*checkpoint);
  const auto plan =
      PlanExport(config, checkpoint->Tensors(), {.language = MatrixForm::kW4, .group_size = 64});
  const auto groups = AwqGroupsToSearch(config, checkpoint->Tensors(), plan);
  InputCollector collector(StagesOf(groups), 512);
  RunCalibration(*checkpoint, {.compute = Compute::kF32}, testing::MakeSamples(6, 1), context_,
                 &collector, {});
  size_t num_packed = 0;
  for (const AwqGroup& group : groups) {
    const AwqFinding finding = SearchGptqGroup(*checkpoint, plan, group, collector, context_);
    EXPECT_EQ(finding.errors.size(), group.linears.size());
    double nearest = 0;
    double adjusted = 0;
    for (const auto& [name, errors] : finding.errors) {
      nearest += errors.nearest * errors.nearest;
      adjusted += errors.adjusted * errors.adjusted;
    }
    EXPECT_LE(adjusted, nearest) << group.stage;
    for (const auto& [name, adjustment] : finding.adjustments) {
      ++num_packed;
      EXPECT_EQ(adjustment.packed_layout, PlanOf(plan, name).tensor.layout);
      EXPECT_EQ(adjustment.packed.size(), PackedBytes(adjustment.packed_layout));
      EXPECT_TRUE(adjustment.rows.empty() && adjustment.columns.empty());
    }
  }
  EXPECT_GE(num_packed, 7u);
}

}  // namespace
}  // namespace octavo
