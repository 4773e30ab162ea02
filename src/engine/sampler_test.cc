#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace octavo {
namespace {

// Shares of the ids in many draws.
std::map<int32_t, double> Draw(const std::vector<float>& logits, const SamplingParams& params) {
  constexpr int kDraws = 20000;
  Random random(11);
  std::map<int32_t, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[Sample(logits, params, &random)] += 1.0 / kDraws;
  return shares;
}

// log of probabilities, so that shares are known.
std::vector<float> Logits(const std::vector<double>& probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

SamplingParams At(double temperature) {
  SamplingParams params;
  params.temperature = temperature;
  return params;
}

TEST(Sampler, GreedyTakesTheLowestIdOfEquals) {
  Random random(1);
  EXPECT_EQ(Sample(std::vector<float>{1, 3, 2, 3}, At(0), &random), 1);
  EXPECT_EQ(Sample(std::vector<float>{1, 3, 2, 3}, At(9e-6), &random), 1);
}

TEST(Sampler, DrawsByProbability) {
  const auto shares = Draw(Logits({0.5, 0.3, 0.2}), At(1));
  EXPECT_NEAR(shares.at(0), 0.5, 0.02);
  EXPECT_NEAR(shares.at(1), 0.3, 0.02);
  EXPECT_NEAR(shares.at(2), 0.2, 0.02);
}

TEST(Sampler, TemperatureFlattensAndSharpens) {
  // Squares of 0.5, 0.3, 0.2 divided by their sum.
  EXPECT_NEAR(Draw(Logits({0.5, 0.3, 0.2}), At(0.5)).at(0), 0.25 / 0.38, 0.02);
  EXPECT_NEAR(Draw(Logits({0.5, 0.3, 0.2}), At(100)).at(2), 1.0 / 3, 0.02);
}

TEST(Sampler, TopKKeepsTiesWithTheKth) {
  SamplingParams params = At(1);
  params.top_k = 2;
  const auto shares = Draw(Logits({0.1, 0.4, 0.25, 0.25}), params);
  EXPECT_EQ(shares.count(0), 0u);
  EXPECT_NEAR(shares.at(1), 0.4 / 0.9, 0.02);
  EXPECT_NEAR(shares.at(3), 0.25 / 0.9, 0.02);
}

TEST(Sampler, TopPDropsFromBelowAndKeepsAtLeastOne) {
  SamplingParams params = At(1);
  params.top_p = 0.7;
  auto shares = Draw(Logits({0.2, 0.5, 0.3}), params);
  EXPECT_EQ(shares.count(0), 0u);
  EXPECT_NEAR(shares.at(1), 0.5 / 0.8, 0.02);
  params.top_p = 1e-6;
  shares = Draw(Logits({0.2, 0.5, 0.3}), params);
  EXPECT_NEAR(shares.at(1), 1.0, 1e-9);
}

TEST(Sampler, TopPCountsWhatTopKLeft) {
  SamplingParams params = At(1);
  params.top_k = 2;
  // Of 0.4 and 0.2 alone the second has a third: 1 - top_p = 0.3 does not drop it, of all it would.
  params.top_p = 0.7;
  EXPECT_EQ(Draw(Logits({0.4, 0.2, 0.15, 0.15, 0.1}), params).size(), 2u);
}

TEST(Sampler, MinPIsRelativeToTheMostProbable) {
  SamplingParams params = At(1);
  params.min_p = 0.5;
  const auto shares = Draw(Logits({0.5, 0.26, 0.24}), params);
  EXPECT_EQ(shares.size(), 2u);
  EXPECT_EQ(shares.count(2), 0u);
}

TEST(Sampler, NeverDrawsMaskedIds) {
  const float never = -std::numeric_limits<float>::infinity();
  EXPECT_NEAR(Draw({never, 1, never}, At(2)).at(1), 1.0, 1e-9);
}

TEST(Sampler, SameSeedSameIds) {
  const std::vector<float> logits = Logits({0.25, 0.25, 0.25, 0.25});
  Random a(5);
  Random b(5);
  Random c(6);
  int num_different = 0;
  for (int i = 0; i < 100; ++i) {
    const int32_t id = Sample(logits, At(1), &a);
    EXPECT_EQ(id, Sample(logits, At(1), &b));
    num_different += id != Sample(logits, At(1), &c) ? 1 : 0;
  }
  EXPECT_GT(num_different, 20);
}

TEST(Sampler, FindsNumbersThatAreNotFinite) {
  EXPECT_TRUE(AllFinite(std::vector<float>{0, -1e38f, 3}));
  EXPECT_FALSE(AllFinite(std::vector<float>{0, std::nanf(""), 3}));
  EXPECT_FALSE(AllFinite(std::vector<float>{0, 1, -std::numeric_limits<float>::infinity()}));
}

}  // namespace
}  // namespace octavo
