// What the tests of this floor share: a small model whose matrices divide into groups, planted
// outliers, pictures with prompts, and outputs to compare.
#ifndef OCTAVO_QUANTIZE_TEST_SUPPORT_H_
#define OCTAVO_QUANTIZE_TEST_SUPPORT_H_

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/str_cat.h"
#include "model/test_support.h"
#include "quantize/calibration.h"
#include "tests/testing/edited_checkpoint.h"

namespace octavo::testing {

// Every matrix but the patch embedding has inputs that 32 divides; two heads share keys.
struct GroupedModelSpec : TinyModelSpec {
  GroupedModelSpec() {
    hidden_size = 128;
    num_attention_heads = 4;
    num_key_value_heads = 2;
    intermediate_size = 256;
    vision_embed_dim = 64;
    vision_num_heads = 2;
  }
};

// Some channels of the norms, of v and of up are `factor` times as large, so that a few inputs of
// every linear layer of the language model dominate.
inline std::unique_ptr<EditedCheckpoint> WithOutliers(float factor) {
  const GroupedModelSpec spec;
  auto checkpoint = std::make_unique<EditedCheckpoint>(MakeTinyModel(spec));
  const auto enlarge = [factor](std::vector<float>* values, size_t rows) {
    const size_t width = values->size() / rows;
    for (const size_t row : {size_t{3}, size_t{40}, size_t{41}}) {
      for (size_t i = 0; i < width; ++i) (*values)[row * width + i] *= factor;
    }
  };
  for (int l = 0; l < spec.num_hidden_layers; ++l) {
    const std::string layer = StrCat("model.layers.", l, ".");
    for (const char* norm : {"input_layernorm.weight", "post_attention_layernorm.weight"}) {
      checkpoint->EditTensor(layer + norm, [=](auto* values) { enlarge(values, 128); });
    }
    checkpoint->EditTensor(layer + "self_attn.v_proj.weight",
                           [=](auto* values) { enlarge(values, 64); });
    checkpoint->EditTensor(layer + "mlp.up_proj.weight",
                           [=](auto* values) { enlarge(values, 256); });
  }
  return checkpoint;
}

inline std::vector<CalibrationSample> MakeSamples(int count, uint64_t seed) {
  std::vector<CalibrationSample> samples;
  for (int i = 0; i < count; ++i) {
    samples.push_back({Picture(24 + 8 * i, 40, static_cast<int>(seed) + i),
                       StrCat("Text Recognition ", seed, " of ", i, ":"), 12});
  }
  return samples;
}

// Logits of a text of 40 tokens, at its last one, for several texts.
inline std::vector<float> LogitsOf(const Checkpoint& checkpoint, Compute compute) {
  Rig rig(checkpoint, compute);
  std::vector<float> all;
  for (uint64_t seed = 50; seed < 56; ++seed) {
    const std::vector<float> logits = RunAtOnce(&rig, MakeText(&rig, 40, seed));
    all.insert(all.end(), logits.begin(), logits.end());
  }
  return all;
}

inline double RelativeError(const std::vector<float>& found, const std::vector<float>& expected) {
  EXPECT_EQ(found.size(), expected.size());
  double squares = 0;
  double all = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    squares += std::pow(static_cast<double>(found[i] - expected[i]), 2);
    all += std::pow(static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(squares / all);
}

}  // namespace octavo::testing

#endif  // OCTAVO_QUANTIZE_TEST_SUPPORT_H_
