#include "engine/stop_checker.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// What is let through by each piece; "|" between pieces.
std::string Filtered(std::vector<std::string> stop, const std::vector<std::string>& pieces) {
  StopStringFilter filter(std::move(stop));
  std::string all;
  for (const std::string& piece : pieces) all += filter.Append(piece) + "|";
  return all + filter.Finish();
}

TEST(StopStringFilter, LetsEverythingThroughWithoutStopStrings) {
  EXPECT_EQ(Filtered({}, {"ab", "c"}), "ab|c|");
}

TEST(StopStringFilter, CutsBeforeAStopStringInsideAPiece) {
  EXPECT_EQ(Filtered({"END"}, {"abENDcd", "ef"}), "ab||");
}

TEST(StopStringFilter, FindsAStopStringAcrossPieces) {
  EXPECT_EQ(Filtered({"END"}, {"aE", "N", "Dx"}), "a|||");
}

TEST(StopStringFilter, LetsGoOfWhatTurnsOutToBeNone) {
  EXPECT_EQ(Filtered({"END"}, {"aE", "Nx", "y"}), "a|ENx|y|");
  EXPECT_EQ(Filtered({"END"}, {"aEN"}), "a|EN");
}

TEST(StopStringFilter, HandlesStopStringsThatOverlapThemselves) {
  EXPECT_EQ(Filtered({"aab"}, {"a", "a", "a", "b"}), "||a||");
}

TEST(StopStringFilter, TakesTheFirstOfSeveral) {
  EXPECT_EQ(Filtered({"cd", "bc"}, {"abcd"}), "a|");
}

TEST(StopChecker, EndsAtTheModelsAndTheRequestsIds) {
  SamplingParams params;
  params.stop_token_ids = {7};
  const StopChecker checker(params, {3}, 10);
  EXPECT_EQ(checker.Check(3, 1), FinishReason::kStop);
  EXPECT_EQ(checker.Check(7, 1), FinishReason::kStop);
  EXPECT_EQ(checker.Check(5, 9), std::nullopt);
  EXPECT_EQ(checker.Check(5, 10), FinishReason::kLength);
  EXPECT_EQ(checker.Check(3, 10), FinishReason::kStop) << "an end token at the last place";
}

TEST(StopChecker, IgnoresTheModelsEndIdsWhenAsked) {
  SamplingParams params;
  params.ignore_eos = true;
  params.stop_token_ids = {7};
  const StopChecker checker(params, {3}, 10);
  EXPECT_EQ(checker.Check(3, 1), std::nullopt);
  EXPECT_EQ(checker.Check(7, 1), FinishReason::kStop);
}

TEST(StopChecker, StopsWhereAStopStringWasFound) {
  SamplingParams params;
  params.stop = {"x"};
  StopChecker checker(params, {}, 10);
  checker.filter().Append("abx");
  EXPECT_EQ(checker.Check(5, 1), FinishReason::kStop);
}

}  // namespace
}  // namespace octavo
