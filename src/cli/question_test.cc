#include "cli/question.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Question, KnowsThePromptsOfTheTasks) {
  EXPECT_EQ(TaskOfQuestion("Text Recognition:"), Task::kText);
  EXPECT_EQ(TaskOfQuestion("\nTable Recognition:"), Task::kTable);
  EXPECT_EQ(TaskOfQuestion("Text Recognition"), std::nullopt);
  EXPECT_EQ(TaskOfQuestion("What is this?"), std::nullopt);
  EXPECT_EQ(TaskOfQuestion(""), std::nullopt);
}

TEST(Question, StandsOnALineOfItsOwn) {
  EXPECT_EQ(WordsOf("What is this?", std::nullopt), "\nWhat is this?");
  EXPECT_EQ(WordsOf("Text Recognition:", Task::kText), "\nText Recognition:");
}

TEST(Question, IsGreedyUnlessTheUserWantsOtherwise) {
  const SamplingParams greedy = SamplingOf({.max_new_tokens = 7}, std::nullopt);
  EXPECT_EQ(greedy.temperature, 0);
  EXPECT_EQ(greedy.max_new_tokens, 7);
  const SamplingParams task = SamplingOf({}, Task::kText);
  EXPECT_EQ(task.presence_penalty, TaskSampling(Task::kText).presence_penalty);
  const SamplingParams sampled = SamplingOf({.temperature = 0.5, .seed = 3}, Task::kText);
  EXPECT_EQ(sampled.temperature, 0.5);
  EXPECT_EQ(sampled.top_k, 0);
  EXPECT_EQ(sampled.seed, 3u);
}

}  // namespace
}  // namespace octavo
