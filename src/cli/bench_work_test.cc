#include "cli/bench_work.h"

#include <gtest/gtest.h>

#include "base/thread_pool.h"
#include "cli/synthetic_model.h"
#include "quantize/rounded_checkpoint.h"

namespace octavo {
namespace {

constexpr double kTera = 1e12;

TEST(BenchWork, CountsThePublishedWorkOfALayoutPage) {
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

TEST(BenchWork, TakesTheFloorFromTheIntegerLimits) {
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

TEST(BenchWork, KnowsWhichProductsAreOfQuantisedMatrices) {
  ThreadPool pool(1);
  const RoundedCheckpoint rounded(
      OpenSyntheticModel("mineru2.5", 1),
      {.language = MatrixForm::kW4, .head = MatrixForm::kW8, .vision = MatrixForm::kW8}, &pool);
  const ModelConfig config = LoadModelConfig(rounded);
  const BenchWork work = CountWork(config, rounded.Tensors(), {1, 74, 74}, 1394, DType::kBF16);
  EXPECT_NEAR(work.encode_gemm_ops / kTera, 6.99, 0.01);
  // All but the patch embedding, whose 1176 inputs no group of 32 divides.
  EXPECT_DOUBLE_EQ(work.encode_gemm_ops - work.encode_packed_ops, 2.0 * 1280 * 1176 * 5476);
  EXPECT_NEAR(work.prefill_packed_ops / kTera, 0.998, 0.001);
  // 4.25 bits for each weight of the layers and 8.25 of the table, scales included; then vectors.
  EXPECT_NEAR(work.decode_weight_bytes / 1e6, 357.83 * 4.25 / 8 + 136.13 * 8.25 / 8, 0.2);
}

TEST(BenchWork, TakesThePeaksOfTheArithmeticThatIsRun) {
  MachineLimits limits;
  limits.fp32_fma = 100;
  limits.int8_maddubs16 = 600;
  limits.int16_madd = 200;
  const ModePeaks f32 = PeaksOf(Compute::kF32, VisionAttention::kF32, limits);
  EXPECT_EQ(f32.plain, 100);
  EXPECT_EQ(f32.packed, 100);
  EXPECT_EQ(f32.attention, 100);
  const ModePeaks int8 = PeaksOf(Compute::kInt8, VisionAttention::kInt16, limits);
  EXPECT_EQ(int8.plain, 100);
  EXPECT_EQ(int8.packed, 600);
  EXPECT_EQ(int8.attention, 200);
  EXPECT_EQ(PeaksOf(Compute::kInt16, VisionAttention::kF32, limits).packed, 200);
  limits.bf16_dot = 300;
  limits.int8_dot = 800;
  EXPECT_EQ(PeaksOf(Compute::kBF16, VisionAttention::kF32, limits).plain, 300);
  EXPECT_EQ(PeaksOf(Compute::kInt8, VisionAttention::kF32, limits).packed, 800);
  limits.int16_dot = 400;
  EXPECT_EQ(PeaksOf(Compute::kInt8, VisionAttention::kInt16, limits).attention, 400);

  const BenchWork work = {.encode_gemm_ops = 6e12,
                          .encode_packed_ops = 5e12,
                          .encode_attention_ops = 4e12,
                          .prefill_ops = 3e12,
                          .prefill_packed_ops = 1e12};
  EXPECT_DOUBLE_EQ(EncodeModeSeconds(work, {100, 500, 200}), 10 + 10 + 20);
  EXPECT_DOUBLE_EQ(PrefillModeSeconds(work, {100, 500, 200}), 20 + 2);
  EXPECT_DOUBLE_EQ(EncodeModeSeconds(work, {}), 0);
}

}  // namespace
}  // namespace octavo
