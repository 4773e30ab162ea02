#include "document/prompts.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Prompts, AreMinerusStrings) {
  EXPECT_EQ(TaskPrompt(Task::kLayout), "\nLayout Detection:");
  EXPECT_EQ(TaskPrompt(Task::kText), "\nText Recognition:");
  EXPECT_EQ(TaskPrompt(Task::kTable), "\nTable Recognition:");
  EXPECT_EQ(TaskPrompt(Task::kEquation), "\nFormula Recognition:");
  EXPECT_EQ(TaskPrompt(Task::kImage), "\nImage Analysis:");
  EXPECT_EQ(SystemPrompt(), "You are a helpful assistant.");
}

TEST(Prompts, HaveMinerusSampling) {
  const SamplingParams layout = TaskSampling(Task::kLayout);
  EXPECT_EQ(layout.temperature, 0.0);
  EXPECT_EQ(layout.top_p, 0.01);
  EXPECT_EQ(layout.top_k, 1);
  EXPECT_EQ(layout.presence_penalty, 0.0);
  EXPECT_EQ(layout.frequency_penalty, 0.0);
  EXPECT_EQ(layout.no_repeat_ngram_size, 100);
  EXPECT_FALSE(layout.skip_special_tokens);
  EXPECT_EQ(layout.max_new_tokens, 0);
  EXPECT_EQ(TaskSampling(Task::kText).presence_penalty, 1.0);
  EXPECT_EQ(TaskSampling(Task::kEquation).frequency_penalty, 0.05);
  EXPECT_EQ(TaskSampling(Task::kTable).frequency_penalty, 0.005);
}

TEST(Prompts, HaveNoTaskForContainersAndPictures) {
  EXPECT_EQ(TaskOfBlockType("list", true), std::nullopt);
  EXPECT_EQ(TaskOfBlockType("image", false), std::nullopt);
  EXPECT_EQ(TaskOfBlockType("chart", true), Task::kImage);
  EXPECT_EQ(TaskOfBlockType("table", false), Task::kTable);
  EXPECT_EQ(TaskOfBlockType("code", false), Task::kText);
}

}  // namespace
}  // namespace octavo
