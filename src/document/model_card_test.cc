#include "document/model_card.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

class ModelCardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("model_card_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  ModelCard Read(const char* json) {
    std::ofstream(folder_ / "octavo.json") << json;
    return ReadModelCard(folder_.string());
  }
  std::filesystem::path folder_;
};

TEST_F(ModelCardTest, SaysThatAModelWithoutCardKnowsEverything) {
  const ModelCard card = ReadModelCard(folder_.string());
  EXPECT_TRUE(card.Knows(Task::kLayout));
  EXPECT_TRUE(card.Knows("chat"));
  EXPECT_EQ(card.line_height_px, 0);
}

TEST_F(ModelCardTest, ReadsTasksAndLines) {
  const ModelCard card =
      Read(R"({"name": "n", "tasks": ["text"], "line": {"height_px": 28, "max_width_px": 560}})");
  EXPECT_EQ(card.name, "n");
  EXPECT_TRUE(card.Knows(Task::kText));
  EXPECT_FALSE(card.Knows(Task::kLayout));
  EXPECT_EQ(card.line_height_px, 28);
  EXPECT_EQ(card.line_max_width_px, 560);
}

TEST_F(ModelCardTest, ReadsEquations) {
  const ModelCard card = Read(R"({"tasks": ["equation"], "equation": {"min_letter_px": 9,
      "max_letter_px": 15, "min_width_px": 112, "max_width_px": 560, "multiple_px": 28}})");
  EXPECT_TRUE(card.Knows(Task::kEquation));
  EXPECT_EQ(card.equation_min_letter_px, 9);
  EXPECT_EQ(card.equation_max_letter_px, 15);
  EXPECT_EQ(card.equation_min_width_px, 112);
  EXPECT_EQ(card.equation_max_width_px, 560);
  EXPECT_EQ(card.equation_multiple_px, 28);
  EXPECT_EQ(card.line_height_px, 0);
}

TEST_F(ModelCardTest, LeavesAloneWhatOthersRead) {
  const ModelCard card = Read(R"({"line": {"height_px": 28, "note": "of lines"},
      "equation": {"min_width_px": 112, "scale": 1.5, "sizes": [1]}, "table": "x"})");
  EXPECT_EQ(card.line_height_px, 28);
  EXPECT_EQ(card.equation_min_width_px, 112);
}

TEST_F(ModelCardTest, OfAGgufFileStandsBesideIt) {
  Read(R"({"name": "n", "tasks": ["text"]})");
  std::ofstream(folder_ / "model.gguf") << "GGUF and more";
  EXPECT_EQ(ReadModelCard((folder_ / "model.gguf").string()).name, "n");
  EXPECT_FALSE(ReadModelCard((folder_ / "model.gguf").string()).Knows(Task::kLayout));
  std::ofstream(folder_ / "octavo.json") << "[]";
  EXPECT_EQ(testing::ErrorCodeOf([&] { ReadModelCard((folder_ / "model.gguf").string()); },
                                 (folder_ / "octavo.json").string() + ": is not"),
            ErrorCode::kDataLoss);
}

TEST_F(ModelCardTest, RefusesWrongTypes) {
  for (const char* json :
       {"[]", R"({"name": 1})", R"({"tasks": "text"})", R"({"tasks": [1]})",
        R"({"line": {"height_px": -1}})", R"({"line": []})", "{", R"({"equation": 1})",
        R"({"equation": {"min_letter_px": "9"}})", R"({"equation": {"max_width_px": 10001}})",
        R"({"equation": {"min_letter_px": 201}})", R"({"equation": {"multiple_px": 281}})",
        R"({"equation": {"min_letter_px": 16, "max_letter_px": 14}})",
        R"({"equation": {"min_width_px": 300, "max_width_px": 200}})"}) {
    EXPECT_THROW(Read(json), Error) << json;
  }
}

TEST(ModelCard, ThatShipsWithTheProgramIsReadable) {
  const ModelCard card = ReadModelCard(std::string(OCTAVO_SOURCE_DIR) + "/models/octavo-nano");
  EXPECT_EQ(card.name, "octavo-nano");
  EXPECT_TRUE(card.Knows(Task::kText));
}

}  // namespace
}  // namespace octavo
