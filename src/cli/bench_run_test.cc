#include "cli/bench_run.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "cli/synthetic_model.h"
#include "kernels/select.h"

namespace octavo {
namespace {

constexpr double kTera = 1e12;

TEST(BenchRun, CountsThePublishedWorkOfALayoutPage) {
  const auto checkpoint = OpenSyntheticModel("mineru2.5", 1);
  const ModelConfig config = LoadModelConfig(*checkpoint);
  const BenchWork work = CountWork(config, checkpoint->Tensors(), {1, 74, 74}, 1394, DType::kBF16);
  // 629.1 M vision linears x 5476 rows, merger and patch embedding; attention 4 T^2 1280 x 32.
  EXPECT_NEAR(work.encode_gemm_ops / kTera, 6.99, 0.01);
  EXPECT_NEAR(work.encode_attention_ops / kTera, 4.91, 0.01);
  // 357.8 M language linears x 1394 tokens, causal attention, one row of logits.
  EXPECT_NEAR(work.prefill_ops / kTera, 1.08, 0.02);
  // 494,032,768 parameters in bf16.
  EXPECT_EQ(work.decode_weight_bytes, 988065536);
  EXPECT_EQ(work.kv_bytes_per_token, 12288);
}

TEST(BenchRun, TakesTheFloorFromTheIntegerLimits) {
  const BenchWork work = {.encode_gemm_ops = 6e12, .encode_attention_ops = 4e12};
  MachineLimits avx2;
  avx2.fp32_fma = 100;
  avx2.int8_maddubs16 = 600;
  avx2.int16_madd = 200;
  EXPECT_DOUBLE_EQ(EncodeFloorSeconds(work, avx2), 10 + 20);
  MachineLimits avx512 = avx2;
  avx512.int8_dot = 1000;
  avx512.bf16_dot = 500;
  EXPECT_DOUBLE_EQ(EncodeFloorSeconds(work, avx512), 6 + 8);
  EXPECT_DOUBLE_EQ(EncodeFloorSeconds(work, MachineLimits{}), 0);
}

TEST(BenchRun, RunsEveryPhaseOnATinyModel) {
  const auto checkpoint = OpenSyntheticModel("tiny", 1);
  const ModelConfig config = LoadModelConfig(*checkpoint);
  ThreadPool pool(2);
  ModelOptions options;
  options.max_batch_tokens = 16;  // so that the prompt takes several chunks
  Model model(*checkpoint, options, {.kernels = &SelectedKernels(), .pool = &pool});
  const GridThw grid = {1, 8, 12};
  const BenchWork work = CountWork(config, checkpoint->Tensors(), grid, 24 + 25, DType::kBF16);
  int calls = 0;
  const BenchTimes times =
      RunBenchPhases(&model, work, grid, 5, 2, [&](std::string_view, double share) {
        EXPECT_GE(share, 0);
        EXPECT_LE(share, 1);
        ++calls;
      });
  EXPECT_EQ(times.prefill_tokens, 24 + 25);
  EXPECT_EQ(times.decode_steps, 5);
  EXPECT_GT(times.encode_seconds, 0);
  EXPECT_GT(times.prefill_seconds, 0);
  EXPECT_GT(times.decode_seconds, 0);
  // Five steps read the weights, and the cache of two sequences that grow from 49 tokens.
  EXPECT_DOUBLE_EQ(times.decode_bytes, 5 * work.decode_weight_bytes +
                                           2 * (49 + 50 + 51 + 52 + 53) * work.kv_bytes_per_token);
  EXPECT_GT(calls, 0);
}

}  // namespace
}  // namespace octavo
