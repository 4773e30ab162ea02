#include "quantize/awq.h"

#include <unistd.h>

#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "kernels/select.h"
#include "quantize/test_support.h"
#include "quantize/write_model.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr ExportOptions k4Bits = {.language = MatrixForm::kW4};

class AwqTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / StrCat("octavo_awq_", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  AwqFinding Search(const Checkpoint& checkpoint, const ExportOptions& options,
                    int num_threads = 2) {
    ThreadPool pool(num_threads);
    const ops::Context context = {&SelectedKernels(), &pool, nullptr};
    const ModelConfig config = LoadModelConfig(checkpoint);
    const auto plan = PlanExport(config, checkpoint.Tensors(), options);
    const auto groups = AwqGroupsToSearch(config, checkpoint.Tensors(), plan);
    InputCollector collector(StagesOf(groups), 512);
    RunCalibration(checkpoint, {.compute = Compute::kF32}, testing::MakeSamples(6, 1), context,
                   &collector, {});
    AwqFinding all;
    for (const AwqGroup& group : groups) {
      const AwqFinding finding = SearchAwqGroup(checkpoint, plan, group, collector, context);
      Merge(finding.adjustments, &all.adjustments);
      all.errors.insert(finding.errors.begin(), finding.errors.end());
    }
    return all;
  }

  std::unique_ptr<Checkpoint> Write(const Checkpoint& checkpoint, const ExportOptions& options,
                                    const Adjustments& adjustments, const char* name) {
    ThreadPool pool(2);
    WriteModel(checkpoint, options, adjustments, folder_ / name, &pool, {});
    return Checkpoint::Open(folder_ / name);
  }

  fs::path folder_;
};

TEST_F(AwqTest, PlantedOutliersCostLessThanWithRoundingToNearest) {
  const auto checkpoint = testing::WithOutliers(30);
  const AwqFinding found = Search(*checkpoint, k4Bits);
  EXPECT_EQ(found.errors.size(), 2u * 7u);
  for (const auto& [name, errors] : found.errors) {
    EXPECT_LE(errors.adjusted, 1.02 * errors.nearest) << name;
  }
  // On texts that calibration did not see.
  const std::vector<float> expected = testing::LogitsOf(*checkpoint, Compute::kF32);
  const auto nearest = Write(*checkpoint, k4Bits, {}, "nearest.octavo");
  const auto awq = Write(*checkpoint, k4Bits, found.adjustments, "awq.octavo");
  const double before =
      testing::RelativeError(testing::LogitsOf(*nearest, Compute::kF32), expected);
  const double after = testing::RelativeError(testing::LogitsOf(*awq, Compute::kF32), expected);
  RecordProperty("nearest", StrCat(before));
  RecordProperty("awq", StrCat(after));
  EXPECT_LE(after, 0.8 * before);
  EXPECT_GT(after, 0.0);
}

TEST_F(AwqTest, TheVisionTowerTakesPartWhereItHas4Bits) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  const ExportOptions options = {.vision = MatrixForm::kW4};
  const AwqFinding found = Search(*checkpoint, options);
  EXPECT_EQ(found.errors.size(), 2u * 4u + 2u);
  for (const auto& [name, errors] : found.errors) {
    EXPECT_LE(errors.adjusted, 1.02 * errors.nearest) << name;
  }
}

TEST_F(AwqTest, TheSameFindingForAnyNumberOfThreads) {
  const auto checkpoint = testing::WithOutliers(10);
  EXPECT_EQ(Search(*checkpoint, k4Bits, 1).adjustments, Search(*checkpoint, k4Bits, 4).adjustments);
}

TEST_F(AwqTest, MatricesOf8BitsAndQuantisedOnesAreLeftAlone) {
  const auto checkpoint = testing::MakeTinyModel(testing::GroupedModelSpec());
  const ModelConfig config = LoadModelConfig(*checkpoint);
  const ExportOptions all8 = {.language = MatrixForm::kW8, .vision = MatrixForm::kW8};
  const auto plan = PlanExport(config, checkpoint->Tensors(), all8);
  EXPECT_TRUE(AwqGroupsToSearch(config, checkpoint->Tensors(), plan).empty());
  const auto quantised = Write(*checkpoint, k4Bits, {}, "quantised.octavo");
  const auto again = PlanExport(config, quantised->Tensors(), k4Bits);
  EXPECT_TRUE(AwqGroupsToSearch(config, quantised->Tensors(), again).empty());
}

TEST_F(AwqTest, NumbersThatAreNotFiniteNameTheTensor) {
  testing::EditedCheckpoint damaged(testing::MakeTinyModel(testing::GroupedModelSpec()));
  damaged.EditTensor("model.layers.1.mlp.up_proj.weight", [](std::vector<float>* values) {
    values->back() = std::numeric_limits<float>::infinity();
  });
  EXPECT_EQ(testing::ErrorCodeOf([&] { Search(damaged, k4Bits); },
                                 "synthetic: model.layers.1.mlp.up_proj.weight contains a NaN"),
            ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
