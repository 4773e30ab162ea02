#include "cli/model_training.h"

#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

std::string RefusalOf(const ModelCard& card, std::optional<Task> task) {
  try {
    RequireTraining(card, task);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    return error.what();
  }
  return "";
}

TEST(RequireTraining, TakesAModelWithoutACardForEverything) {
  EXPECT_EQ(RefusalOf({}, std::nullopt), "");
  EXPECT_EQ(RefusalOf({}, Task::kLayout), "");
}

TEST(RequireTraining, SaysWhatAModelCannotDoAndWhichCan) {
  ModelCard card;
  card.name = "small";
  card.knows_every_task = false;
  card.tasks = {"text"};
  EXPECT_EQ(RefusalOf(card, Task::kText), "");
  const std::string layout = RefusalOf(card, Task::kLayout);
  EXPECT_EQ(layout.substr(0, 45), "small was not trained for Layout Detection:; ");
  EXPECT_NE(layout.find("octavo pull"), std::string::npos);
  EXPECT_NE(RefusalOf(card, std::nullopt).find("free questions"), std::string::npos);
}

}  // namespace
}  // namespace octavo
