#include "quantize/calibration.h"

#include <limits>

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "kernels/select.h"
#include "quantize/awq.h"
#include "quantize/test_support.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

struct Result {
  std::vector<CalibrationAnswer> answers;
  InputCollector collector;
};

Result RunOn(const Checkpoint& checkpoint, int num_threads,
             const std::vector<CalibrationSample>& samples) {
  ThreadPool pool(num_threads);
  const ops::Context context = {&SelectedKernels(), &pool, nullptr};
  const std::vector<AwqGroup> groups = AwqGroupsOf(LoadModelConfig(checkpoint));
  Result result = {{}, InputCollector(StagesOf(groups), 50)};
  result.answers = RunCalibration(checkpoint, {.compute = Compute::kF32}, samples, context,
                                  &result.collector, {});
  return result;
}

TEST(Calibration, SeesEveryLinearLayerAndTheModelsOwnAnswers) {
  const auto checkpoint = testing::MakeTinyModel();
  const std::vector<CalibrationSample> samples = testing::MakeSamples(3, 1);
  const Result result = RunOn(*checkpoint, 2, samples);
  ASSERT_EQ(result.answers.size(), 3u);
  int64_t tokens = 0;
  int64_t patches = 0;
  for (const CalibrationAnswer& answer : result.answers) {
    EXPECT_FALSE(answer.answer_ids.empty());
    tokens += static_cast<int64_t>(answer.prompt_ids.size() + answer.answer_ids.size()) - 1;
    patches += 4 * std::count(answer.prompt_ids.begin(), answer.prompt_ids.end(),
                              LoadModelConfig(*checkpoint).image_token_id);
  }
  for (const AwqGroup& group : AwqGroupsOf(LoadModelConfig(*checkpoint))) {
    const LinearInputs* const inputs = result.collector.Find(group.stage);
    ASSERT_NE(inputs, nullptr) << group.stage;
    const int64_t expected = group.stage.starts_with("lm.")           ? tokens
                             : group.stage.starts_with("vit.merger.") ? patches / 4
                                                                      : patches;
    EXPECT_EQ(inputs->num_seen, expected) << group.stage;
    EXPECT_EQ(inputs->num_rows(), std::min<int64_t>(expected, 50)) << group.stage;
  }
}

TEST(Calibration, AModelFindsItsOwnAnswersLikeliest) {
  const auto checkpoint = testing::MakeTinyModel();
  const std::vector<CalibrationSample> samples = testing::MakeSamples(3, 1);
  const Result result = RunOn(*checkpoint, 2, samples);
  ThreadPool pool(2);
  const ops::Context context = {&SelectedKernels(), &pool, nullptr};
  const auto likeliest = LikeliestTokens(*checkpoint, {.compute = Compute::kF32}, samples,
                                         result.answers, context, nullptr);
  ASSERT_EQ(likeliest.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(likeliest[i], result.answers[i].answer_ids);
  // Another model has other wishes.
  testing::TinyModelSpec spec;
  spec.seed = 2;
  EXPECT_NE(LikeliestTokens(*testing::MakeTinyModel(spec), {.compute = Compute::kF32}, samples,
                            result.answers, context, nullptr),
            likeliest);
}

TEST(Calibration, TheSameBitsForAnyNumberOfThreads) {
  const auto checkpoint = testing::MakeTinyModel();
  const std::vector<CalibrationSample> samples = testing::MakeSamples(2, 5);
  const Result one = RunOn(*checkpoint, 1, samples);
  const Result three = RunOn(*checkpoint, 3, samples);
  for (const AwqGroup& group : AwqGroupsOf(LoadModelConfig(*checkpoint))) {
    EXPECT_EQ(one.collector.Find(group.stage)->rows, three.collector.Find(group.stage)->rows);
    EXPECT_EQ(one.collector.Find(group.stage)->sum_abs, three.collector.Find(group.stage)->sum_abs);
  }
}

TEST(Calibration, NumbersThatOverflowInsideStopIt) {
  testing::EditedCheckpoint checkpoint(testing::MakeTinyModel());
  for (const char* name : {"gate_proj", "up_proj"}) {
    checkpoint.EditTensor(StrCat("model.layers.0.mlp.", name, ".weight"),
                          [](std::vector<float>* values) {
                            for (float& value : *values) value *= 1e30f;
                          });
  }
  EXPECT_EQ(testing::ErrorCodeOf([&] { RunOn(checkpoint, 2, testing::MakeSamples(1, 1)); },
                                 "synthetic: numbers inside the model are not finite"),
            ErrorCode::kDataLoss);
}

TEST(Calibration, NeedsASample) {
  EXPECT_EQ(testing::ErrorCodeOf([&] { RunOn(*testing::MakeTinyModel(), 1, {}); },
                                 "no calibration pages"),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace octavo
