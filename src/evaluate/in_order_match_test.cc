#include "evaluate/in_order_match.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

std::vector<int> Match(const std::string& found, const std::string& truth) {
  return MatchInOrder(
      static_cast<int>(found.size()), static_cast<int>(truth.size()), [&](int i, int j) {
        return found[static_cast<size_t>(i)] == truth[static_cast<size_t>(j)] ? 1.0 : 0.0;
      });
}

TEST(InOrderMatch, KeepsTheOrder) {
  EXPECT_EQ(Match("abc", "abc"), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(Match("bac", "abc"), (std::vector<int>{-1, 0, 2}));
  EXPECT_EQ(Match("xbc", "abc"), (std::vector<int>{-1, 1, 2}));
  EXPECT_EQ(Match("c", "abc"), (std::vector<int>{-1, -1, 0}));
  EXPECT_EQ(Match("xxabc", "abc"), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(Match("", "ab"), (std::vector<int>{-1, -1}));
  EXPECT_EQ(Match("ab", ""), std::vector<int>());
}

TEST(InOrderMatch, TakesTheGreatestSumNotTheFirstBest) {
  const double scores[2][2] = {{0.9, 0.8}, {0.7, 0.1}};  // [found][true]
  EXPECT_EQ(MatchInOrder(2, 2, [&](int i, int j) { return scores[i][j]; }),
            (std::vector<int>{0, 1}));
  const double others[2][2] = {{0.2, 0.9}, {0.8, 0.3}};
  EXPECT_EQ(MatchInOrder(2, 2, [&](int i, int j) { return others[i][j]; }),
            (std::vector<int>{-1, 0}));
}

TEST(InOrderMatch, ReachesTheBestSumOfAllOrderedChoices) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const int num_found = static_cast<int>(random.Below(6));
    const int num_true = static_cast<int>(random.Below(6));
    double scores[6][6];
    for (auto& row : scores) {
      for (double& score : row) score = random.Below(3) == 0 ? 0 : random.Uniform();
    }
    const auto best = [&](const auto& self, int i, int j) -> double {
      if (i == num_found || j == num_true) return 0;
      return std::max(
          {self(self, i + 1, j), self(self, i, j + 1), scores[i][j] + self(self, i + 1, j + 1)});
    };
    const auto matches =
        MatchInOrder(num_found, num_true, [&](int i, int j) { return scores[i][j]; });
    double sum = 0;
    int last = -1;
    for (size_t j = 0; j < matches.size(); ++j) {
      if (matches[j] < 0) continue;
      EXPECT_GT(matches[j], last);
      last = matches[j];
      sum += scores[matches[j]][j];
    }
    EXPECT_NEAR(sum, best(best, 0, 0), 1e-12);
  }
}

TEST(InOrderMatch, BoundsTheScoresItAsksFor) {
  int num_asked = 0;
  MatchInOrder(1000, 1000, [&](int, int) {
    ++num_asked;
    return 1.0;
  });
  EXPECT_LE(num_asked, 17'000);
  EXPECT_EQ(MatchInOrder(20'000, 20'000, [](int, int) { return 1.0; }).size(), 20'000U);
}

}  // namespace
}  // namespace octavo
