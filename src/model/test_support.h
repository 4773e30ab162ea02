// What the tests of this floor share: a tiny model with pool and cache, and ways to run it.
#ifndef OCTAVO_MODEL_TEST_SUPPORT_H_
#define OCTAVO_MODEL_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/thread_pool.h"
#include "kernels/select.h"
#include "model/model.h"
#include "tests/testing/picture.h"
#include "tests/testing/tiny_model.h"

namespace octavo::testing {

inline constexpr int kVocabSize = 300;

// A model with its pool and cache; block tables are dealt out from the cache's end.
struct Rig {
  explicit Rig(const Checkpoint& checkpoint, Compute compute = Compute::kF32, int num_threads = 2,
               VisionAttention attention = VisionAttention::kF32)
      : pool(num_threads),
        model(checkpoint,
              {.compute = compute,
               .attention = attention,
               .max_batch_tokens = 256,
               .max_sequences = 8},
              {&SelectedKernels(), &pool, nullptr}),
        cache(model.config().text, compute == Compute::kF32 ? DType::kF32 : DType::kBF16, 64) {}

  std::vector<int32_t> NewBlockTable(int num_blocks) {
    std::vector<int32_t> table;
    for (int i = 0; i < num_blocks; ++i) table.push_back(next_block--);
    return table;
  }

  ThreadPool pool;
  Model model;
  KvCache cache;
  int32_t next_block = 63;
};

// Text of one sequence and what runs of it so far.
struct Text {
  std::vector<int32_t> ids;
  std::vector<int32_t> blocks;
  int64_t num_cached = 0;
};

inline Text MakeText(Rig* rig, int64_t num_tokens, uint64_t seed) {
  Text text;
  Random random(seed);
  for (int64_t i = 0; i < num_tokens; ++i) {
    text.ids.push_back(static_cast<int32_t>(random.Below(256)));
  }
  text.blocks = rig->NewBlockTable(static_cast<int>(num_tokens / kKvBlockSize + 1));
  return text;
}

// Runs the next tokens of each text in one batch; logits after each last token.
inline std::vector<std::vector<float>> Step(Rig* rig,
                                            const std::vector<std::pair<Text*, int64_t>>& parts,
                                            const float* image_row = nullptr) {
  ForwardBatch batch;
  for (const auto& [text, count] : parts) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t place = text->num_cached + i;
      batch.token_ids.push_back(text->ids[static_cast<size_t>(place)]);
      batch.image_rows.push_back(place == 3 ? image_row : nullptr);
      for (int32_t axis = 0; axis < 3; ++axis) {
        // Streams that differ, so that a mix-up of sequences or axes shows.
        batch.positions[static_cast<size_t>(axis)].push_back(static_cast<int32_t>(place) *
                                                             (axis + 1));
      }
    }
    batch.sequences.push_back({.block_table = text->blocks,
                               .num_cached = text->num_cached,
                               .num_new = count,
                               .wants_logits = true});
    text->num_cached += count;
  }
  std::vector<float> logits(parts.size() * kVocabSize);
  rig->model.Forward(batch, rig->cache,
                     {logits.data(), static_cast<int64_t>(parts.size()), kVocabSize});
  std::vector<std::vector<float>> rows;
  for (size_t i = 0; i < parts.size(); ++i) {
    const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(i * kVocabSize);
    rows.emplace_back(begin, begin + kVocabSize);
  }
  return rows;
}

inline std::vector<float> RunAtOnce(Rig* rig, Text text) {
  text.num_cached = 0;
  return Step(rig, {{&text, static_cast<int64_t>(text.ids.size())}})[0];
}

inline Patches MakePatches(int h, int w) {
  PreprocessorConfig config;
  config.patch_size = 4;
  config.min_pixels = 64;
  config.max_pixels = 1 << 20;
  return Preprocess(Picture(h, w, 1), config);
}

inline std::vector<float> Encode(Model* model, Patches patches, double budget_flops) {
  const auto encoding = model->StartVisionEncoding(std::move(patches));
  double progress = 0;
  while (!encoding->Advance(budget_flops)) {
    EXPECT_GT(encoding->progress(), progress);
    progress = encoding->progress();
  }
  EXPECT_NEAR(encoding->progress(), 1.0, 1e-9);
  const ImageEmbeddings embeddings = encoding->TakeEmbeddings();
  return {embeddings.values.data(), embeddings.values.data() + embeddings.values.size()};
}

}  // namespace octavo::testing

#endif  // OCTAVO_MODEL_TEST_SUPPORT_H_
