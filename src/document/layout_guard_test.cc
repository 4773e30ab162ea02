#include "document/layout_guard.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string Block(int number) {
  const int x = number % 900;
  const int y = number / 900;
  return "<|box_start|>" + std::to_string(x) + " " + std::to_string(y) + " " +
         std::to_string(x + 50) + " " + std::to_string(y + 10) +
         "<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>\n";
}

// The problem, and after how many characters it was found, when text comes a few at a time.
std::string Watch(const std::string& text, size_t step, size_t* num_taken = nullptr) {
  LayoutGuard guard;
  for (size_t i = 0; i < text.size(); i += step) {
    const std::string problem = guard.Add(text.substr(i, step));
    if (num_taken != nullptr) *num_taken = i + step;
    if (!problem.empty()) return problem;
  }
  return "";
}

TEST(LayoutGuard, LetsAnAnswerPassHoweverItArrives) {
  std::string answer;
  for (int i = 0; i < 500; ++i) answer += Block(7 * i);
  for (const size_t step : {size_t{1}, size_t{5}, size_t{64}, answer.size()}) {
    EXPECT_EQ(Watch(answer, step), "") << step;
  }
  EXPECT_EQ(Watch("", 1), "");
}

TEST(LayoutGuard, StopsProse) {
  size_t num_taken = 0;
  EXPECT_EQ(Watch(std::string(100000, 'a'), 3, &num_taken), "the answer is not in the grammar");
  EXPECT_LT(num_taken, 600u);
  EXPECT_EQ(Watch(Block(1) + std::string(1000, 'a'), 3), "the answer is not in the grammar");
}

TEST(LayoutGuard, StopsRepetition) {
  std::string answer;
  for (int i = 0; i < 5000; ++i) answer += Block(i % 3);
  size_t num_taken = 0;
  EXPECT_EQ(Watch(answer, 3, &num_taken), "most of the answer is repetition");
  EXPECT_LT(num_taken, 100 * Block(1).size());
}

TEST(LayoutGuard, StopsBlocksThatBreakTheGrammar) {
  std::string answer;
  for (int i = 0; i < 5000; ++i) answer += "<|box_start|>" + std::to_string(i);
  EXPECT_EQ(Watch(answer, 4), "most of the answer is not in the grammar");
}

TEST(LayoutGuard, StopsTooManyBlocks) {
  std::string answer;
  for (int i = 0; i < 2 * LayoutGuard::kMaxBlocks; ++i) answer += Block(i);
  EXPECT_NE(Watch(answer, 100).find("more than 3000"), std::string::npos);
}

// A few bad blocks among good ones are layout_parser's to drop.
TEST(LayoutGuard, IsPatientWithSomeMistakes) {
  std::string answer;
  for (int i = 0; i < 300; ++i) answer += i % 3 == 0 ? "<|box_start|>x" : Block(i);
  EXPECT_EQ(Watch(answer, 11), "");
}

}  // namespace
}  // namespace octavo
