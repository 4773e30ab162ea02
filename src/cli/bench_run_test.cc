#include "cli/bench_run.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "cli/synthetic_model.h"
#include "engine/drafter.h"
#include "engine/model_files.h"
#include "kernels/select.h"
#include "quantize/rounded_checkpoint.h"

namespace octavo {
namespace {

TEST(BenchRun, RunsEveryPhaseOnATinyModel) {
  const auto checkpoint = OpenSyntheticModel("tiny", 1);
  const ModelConfig config = LoadModelConfig(*checkpoint);
  ThreadPool pool(2);
  ModelOptions options;
  options.max_batch_tokens = 16;  // so that the prompt takes several chunks
  Model model(*checkpoint, options, {.kernels = &SelectedKernels(), .pool = &pool});
  const BenchPlan plan = {.page = {1, 8, 12},
                          .decode_steps = 5,
                          .batches = {1, 2},
                          .crop = {1, 4, 4},
                          .num_crops = 3,
                          .crop_tokens = 4};
  const BenchWork work = CountWork(config, checkpoint->Tensors(), plan.page, 24 + 25, DType::kBF16);
  int calls = 0;
  const BenchTimes times = RunBenchPhases(&model, work, plan, [&](std::string_view, double share) {
    EXPECT_GE(share, 0);
    EXPECT_LE(share, 1);
    ++calls;
  });
  EXPECT_EQ(times.prefill_tokens, 24 + 25);
  EXPECT_EQ(times.decode_steps, 5);
  EXPECT_GT(times.encode_seconds, 0);
  EXPECT_GT(times.prefill_seconds, 0);
  EXPECT_GT(times.page_peak_bytes, 0);
  ASSERT_EQ(times.decodes.size(), 2u);
  for (const DecodeTimes& decode : times.decodes) {
    EXPECT_GT(decode.seconds, 0);
    // Five steps read the weights, and the cache of sequences that grow from 49 tokens.
    EXPECT_DOUBLE_EQ(decode.bytes, 5 * work.decode_weight_bytes + decode.batch *
                                                                      (49 + 50 + 51 + 52 + 53) *
                                                                      work.kv_bytes_per_token);
  }
  EXPECT_EQ(times.decodes[0].batch, 1);
  EXPECT_EQ(times.decodes[1].batch, 2);
  EXPECT_EQ(times.crop.count, 1);
  EXPECT_EQ(times.crops.count, 3);
  for (const CropTimes& crop : {times.crop, times.crops}) {
    EXPECT_EQ(crop.prompt_tokens, 4 + 25);
    EXPECT_GT(crop.encode_seconds, 0);
    EXPECT_GT(crop.prefill_seconds, 0);
    EXPECT_GT(crop.decode_seconds, 0);
  }
  EXPECT_GT(calls, 0);
}

TEST(BenchRun, ReplaysAnswersBehindThePage) {
  const auto checkpoint = OpenSyntheticModel("tiny", 1);
  const ModelFiles files = LoadModelFiles(*checkpoint);
  ThreadPool pool(2);
  ModelOptions options;
  options.max_drafted = kMaxDrafted;
  Model model(*checkpoint, options, {.kernels = &SelectedKernels(), .pool = &pool});
  BenchPlan plan = {.page = {1, 4, 4}, .decode_steps = 2, .batches = {2}, .crop = {1, 2, 2}};
  // Longer than what decode leaves room for, over several blocks of the cache.
  const std::vector<int32_t> ids(100, 7);
  plan.replay = {.answers = {{.ids = ids, .is_layout = false}}, .tokenizer = &files.tokenizer};
  double last_share = -1;
  const BenchTimes times =
      RunBenchPhases(&model, {}, plan, [&](std::string_view phase, double share) {
        if (phase == "replay") last_share = share;
      });
  EXPECT_EQ(last_share, 0);
  EXPECT_EQ(times.replay.answers, 1);
  EXPECT_EQ(times.replay.tokens, 99);
  EXPECT_EQ(times.replay.without_drafts.steps, 99);
  EXPECT_GT(times.replay.without_drafts.seconds, 0);
  EXPECT_GT(times.replay.with_drafts.seconds, 0);
  EXPECT_LT(times.replay.with_drafts.steps, 20) << "one token over and over is easy to guess";
  EXPECT_EQ(times.replay.differing_choices, 0);
}

TEST(BenchRun, LeavesCropsOutOnWish) {
  ThreadPool pool(1);
  const RoundedCheckpoint rounded(
      OpenSyntheticModel("tiny", 1),
      {.language = MatrixForm::kW4, .head = MatrixForm::kW4, .vision = MatrixForm::kW4}, &pool);
  ModelOptions options;
  options.compute = Compute::kInt8;
  Model model(rounded, options, {.kernels = &SelectedKernels(), .pool = &pool});
  const BenchPlan plan = {.page = {1, 4, 4}, .decode_steps = 1, .crop = {1, 2, 2}};
  const BenchTimes times = RunBenchPhases(&model, {}, plan, [](auto, double) {});
  EXPECT_EQ(times.crop.count, 0);
  EXPECT_EQ(times.crops.count, 0);
  EXPECT_EQ(times.replay.answers, 0);
  EXPECT_EQ(times.decodes.size(), 1u);
}

}  // namespace
}  // namespace octavo
