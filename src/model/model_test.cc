#include "model/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/memory_info.h"
#include "model/test_support.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using namespace testing;  // NOLINT: the floor's own test support

TEST(Model, HeadSizesAndPatchSizesOfOtherCheckpointsRun) {
  // Vision heads of 8, 16, 64, 80; text heads of 16, 64, 80; K that no panel divides.
  const auto run = [](int embed_dim, int vision_heads, int hidden, int heads,
                      std::array<int, 3> sections) {
    TinyModelSpec spec;
    spec.vision_embed_dim = embed_dim;
    spec.vision_num_heads = vision_heads;
    spec.hidden_size = hidden;
    spec.num_attention_heads = heads;
    spec.num_key_value_heads = 1;
    spec.mrope_section = sections;
    Rig rig(*MakeTinyModel(spec));
    const std::vector<float> logits = RunAtOnce(&rig, MakeText(&rig, 20, 1));
    for (const float x : logits) EXPECT_TRUE(std::isfinite(x));
    for (const float x : Encode(&rig.model, MakePatches(24, 40), 1e18)) {
      EXPECT_TRUE(std::isfinite(x));
    }
  };
  run(24, 3, 32, 2, {2, 3, 3});
  run(128, 2, 192, 3, {8, 12, 12});
  run(160, 2, 80, 1, {10, 15, 15});
  run(16, 1, 34, 1, {1, 8, 8});
}

TEST(Model, TakesTheMemoryThatWasPlanned) {
  TinyModelSpec spec;
  spec.hidden_size = 384;
  spec.num_attention_heads = 6;
  spec.mrope_section = {8, 12, 12};
  spec.intermediate_size = 1000;
  spec.vision_embed_dim = 320;
  spec.vision_num_heads = 4;
  const auto checkpoint = MakeTinyModel(spec);
  const ModelConfig config = LoadModelConfig(*checkpoint);
  const ModelOptions options = {.compute = Compute::kF32};
  const MemoryPlan plan = PlanMemory(config, checkpoint->Tensors(), options, DType::kBF16, 4096, 2);
  ThreadPool pool(2);
  Model model(*checkpoint, options, {&SelectedKernels(), &pool, nullptr});
  EXPECT_EQ(plan.weight_bytes, model.weight_bytes());
  EXPECT_EQ(plan.workspace_bytes, model.workspace_bytes());
  EXPECT_EQ(plan.kv_bytes_per_token, KvCache::BytesPerToken(config.text, DType::kBF16));

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory counts as resident";
#endif
  // 64 x 64 patches; resident memory is measured where the machine tells it.
  Patches patches = MakePatches(256, 256);
  ASSERT_EQ(patches.num_patches(), 4096);
  const int64_t before = ResidentBytes() - static_cast<int64_t>(patches.values.size_bytes());
  const auto encoding = model.StartVisionEncoding(std::move(patches));
  int64_t peak = 0;
  while (!encoding->Advance(2e8)) peak = std::max(peak, ResidentBytes() - before);
  const auto planned = static_cast<int64_t>(plan.vision_activation_bytes);
  if (before > 0) {
    EXPECT_LT(peak, planned + planned / 5 + (int64_t{4} << 20));
    EXPECT_GT(peak, planned / 2);
  }
}

TEST(Model, LoadsEveryFormOfTheReferenceAndRefusesDamage) {
  ThreadPool pool(1);
  const ops::Context context = {&SelectedKernels(), &pool, nullptr};
  const std::string folder = OCTAVO_TEST_DATA_DIR "/broken/folder/";
  EXPECT_NO_THROW(Model(*Checkpoint::Open(folder + "control_valid"), {}, context));
  for (const char* name :
       {"tensor_missing", "vision_missing", "shape_transposed", "shape_rank", "vocab_short",
        "dtype_int", "nan_weight", "inf_weight", "layers_mismatch", "layers_fewer",
        "awq_claims_but_plain", "awq_scales_missing", "gptq_g_idx_outside", "gptq_scale_nan"}) {
    EXPECT_THROW(Model(*Checkpoint::Open(folder + name), {}, context), Error) << name;
  }
}

}  // namespace
}  // namespace octavo
