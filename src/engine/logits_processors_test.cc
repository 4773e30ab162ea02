#include "engine/logits_processors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/random.h"

namespace octavo {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> Applied(const SamplingParams& params, const std::vector<int32_t>& prompt,
                           const std::vector<int32_t>& output, std::vector<float> logits,
                           int32_t num_tokens = 1000) {
  num_tokens = std::min(num_tokens, static_cast<int32_t>(logits.size()));
  LogitsProcessors processors(params, prompt, num_tokens);
  for (const int32_t id : output) processors.Append(id);
  processors.Apply(logits);
  return logits;
}

TEST(LogitsProcessors, ChangesNothingByDefault) {
  EXPECT_EQ(Applied({}, {0, 1}, {1, 1}, {1, -2, 3}), (std::vector<float>{1, -2, 3}));
}

TEST(LogitsProcessors, NeverChoosesIdsWithoutAToken) {
  EXPECT_EQ(Applied({}, {}, {}, {1, 2, 3, 4}, 2), (std::vector<float>{1, 2, -kInf, -kInf}));
}

TEST(LogitsProcessors, PresenceAndFrequencyCountOutputOnly) {
  SamplingParams params;
  params.presence_penalty = 1.0;
  params.frequency_penalty = 0.25;
  EXPECT_EQ(Applied(params, {0, 0, 1}, {2, 1, 2}, {10, 10, 10}),
            (std::vector<float>{10, 8.75f, 8.5f}));
}

TEST(LogitsProcessors, RepetitionCountsPromptAndOutputOnceAndPushesDown) {
  SamplingParams params;
  params.repetition_penalty = 2.0;
  EXPECT_EQ(Applied(params, {0, 0}, {1, 1}, {4, -4, 4}), (std::vector<float>{2, -8, 4}));
}

TEST(LogitsProcessors, BiasComesBeforeThePenalties) {
  SamplingParams params;
  params.logit_bias = {{1, 4.0}};
  params.repetition_penalty = 2.0;
  EXPECT_EQ(Applied(params, {1}, {}, {0, 1}), (std::vector<float>{0, 2.5f}));
}

TEST(LogitsProcessors, NgramsOfThePromptAreNotCounted) {
  SamplingParams params;
  params.no_repeat_ngram_size = 2;
  EXPECT_EQ(Applied(params, {0, 1, 0, 1}, {0}, {1, 1}), (std::vector<float>{1, 1}));
  EXPECT_EQ(Applied(params, {}, {0, 1, 0}, {1, 1}), (std::vector<float>{1, -kInf}));
}

// The rule written as MinerU's processor states it.
std::set<int32_t> BannedByDefinition(const std::vector<int32_t>& output, size_t n) {
  std::set<int32_t> banned;
  if (n == 0 || output.size() < n) return banned;
  const auto tail = output.end() - static_cast<std::ptrdiff_t>(n - 1);
  for (size_t i = 0; i + n <= output.size(); ++i) {
    if (std::equal(tail, output.end(), output.begin() + static_cast<std::ptrdiff_t>(i))) {
      banned.insert(output[i + n - 1]);
    }
  }
  return banned;
}

TEST(LogitsProcessors, BansWhatTheDefinitionBansForEveryLength) {
  Random random(7);
  for (size_t n = 1; n <= 6; ++n) {
    SamplingParams params;
    params.no_repeat_ngram_size = static_cast<int>(n);
    LogitsProcessors processors(params, {}, 3);
    std::vector<int32_t> output;
    size_t num_banned = 0;
    for (int step = 0; step < 60; ++step) {
      std::vector<float> logits(3, 1.0f);
      processors.Apply(logits);
      const std::set<int32_t> expected = BannedByDefinition(output, n);
      num_banned += expected.size();
      for (int32_t id = 0; id < 3; ++id) {
        EXPECT_EQ(std::isinf(logits[static_cast<size_t>(id)]), expected.count(id) != 0)
            << "n " << n << ", step " << step << ", id " << id;
      }
      output.push_back(static_cast<int32_t>(random.Below(3)));
      processors.Append(output.back());
    }
    EXPECT_GT(num_banned, 0u) << n;
  }
}

}  // namespace
}  // namespace octavo
