#include "engine/drafter.h"

#include <gtest/gtest.h>

#include "engine/model_files.h"
#include "tests/testing/tiny_model.h"

namespace octavo {
namespace {

using Ids = std::vector<int32_t>;

class DrafterTest : public ::testing::Test {
 protected:
  Drafter Make(DraftingPlan plan) const { return {std::move(plan), &files_.tokenizer}; }
  static Ids Draft(Drafter* drafter, const Ids& ids, size_t most, std::string_view answer = "") {
    Ids draft;
    drafter->Draft(ids, answer, most, &draft);
    return draft;
  }
  // As if everything guessed were right: the next draft may be long.
  static void Praise(Drafter* drafter, const Ids& ids) {
    for (int i = 0; i < 3; ++i) {
      const auto count = std::ssize(Draft(drafter, ids, 8));
      drafter->Learn(count, count);
    }
  }

  const ModelFiles files_ = LoadModelFiles(*testing::MakeTinyModel());
};

TEST_F(DrafterTest, GuessesNothingByDefault) {
  Drafter drafter = Make({});
  EXPECT_EQ(Draft(&drafter, {1, 2, 3, 1, 2, 3, 1, 2, 3}, 8), Ids());
}

TEST_F(DrafterTest, RepeatsWhatFollowedTheLatestOfEqualRuns) {
  Drafter drafter = Make({.ngram_size = 2});
  EXPECT_EQ(Draft(&drafter, {1, 2, 8, 8, 1, 2, 5, 6, 7, 1, 2}, 2), (Ids{5, 6}));
  EXPECT_EQ(Draft(&drafter, {1, 2, 8, 1, 3}, 2), Ids());
  EXPECT_EQ(Draft(&drafter, {1, 2}, 2), Ids());
}

TEST_F(DrafterTest, ARunMayRepeatItself) {
  Drafter drafter = Make({.ngram_size = 2});
  const Ids ids = {9, 4, 5, 6, 4, 5, 6, 4, 5};
  Praise(&drafter, ids);
  EXPECT_EQ(Draft(&drafter, ids, 7), (Ids{6, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(Draft(&drafter, {3, 3, 3}, 4), (Ids{3, 3, 3, 3}));
}

TEST_F(DrafterTest, FollowsTheExpectedAnswerOverASubstitutionAndAGap) {
  Drafter drafter = Make({.expected = {10, 11, 12, 13, 14, 15, 16, 17}});
  EXPECT_EQ(Draft(&drafter, {1}, 2), (Ids{10, 11}));
  drafter.Append(10);
  EXPECT_EQ(Draft(&drafter, {1, 10}, 2), (Ids{11, 12}));
  drafter.Append(99);  // for 11
  EXPECT_EQ(Draft(&drafter, {1, 10, 99}, 2), Ids()) << "not before it is found again";
  drafter.Append(12);
  EXPECT_EQ(Draft(&drafter, {1, 10, 99, 12}, 1), (Ids{13}));
  drafter.Append(15);  // 13 and 14 are missing
  drafter.Append(16);
  EXPECT_EQ(Draft(&drafter, {1, 10, 99, 12, 15, 16}, 2), (Ids{17}));
  drafter.Append(17);
  EXPECT_EQ(Draft(&drafter, {1, 17}, 2), Ids()) << "its end";
}

TEST_F(DrafterTest, TheGrammarComesFirst) {
  Drafter drafter =
      Make({.ngram_size = 2, .expected = {1, 2}, .forced = [](std::string_view answer) {
              return answer == "7" ? std::string(" <|box_end|>") : std::string();
            }});
  EXPECT_EQ(Draft(&drafter, {5}, 4, "7"), (Ids{' ', 262}));
  EXPECT_EQ(Draft(&drafter, {5}, 1, "7"), (Ids{' '}));
  EXPECT_EQ(Draft(&drafter, {5}, 4, "8"), (Ids{1, 2}));
}

TEST_F(DrafterTest, GuessesMoreWhenRightAndPausesWhenWrong) {
  Drafter drafter = Make({.ngram_size = 2});
  const Ids ids(40, 3);
  EXPECT_EQ(Draft(&drafter, ids, 20).size(), 2u);
  drafter.Learn(2, 2);
  EXPECT_EQ(Draft(&drafter, ids, 20).size(), 4u);
  drafter.Learn(4, 4);
  EXPECT_EQ(Draft(&drafter, ids, 20).size(), 8u);
  drafter.Learn(8, 8);
  EXPECT_EQ(Draft(&drafter, ids, 20).size(), 8u) << "no more than pays";
  drafter.Learn(8, 2);
  EXPECT_EQ(Draft(&drafter, ids, 20).size(), 3u);
  // Always wrong: at most 16 steps lie between guesses.
  int num_guesses = 0;
  for (int step = 0; step < 200; ++step) {
    const auto count = std::ssize(Draft(&drafter, ids, 20));
    drafter.Learn(count, 0);
    if (count > 0) ++num_guesses;
  }
  EXPECT_GE(num_guesses, 12);
  EXPECT_LE(num_guesses, 20);
}

}  // namespace
}  // namespace octavo
