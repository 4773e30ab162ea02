#include <string>
#include <vector>

#include "cli/test_support.h"

namespace octavo {
namespace {

TEST(ArgsModels, TakesASizeForBench) {
  const auto options = std::get<BenchOptions>(Parse({"bench", "--image", "560x784", "--json"}));
  EXPECT_EQ(options.image_width, 560);
  EXPECT_EQ(options.image_height, 784);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.batches, std::vector<int>{1});
}

TEST(ArgsModels, TakesFormsAndBatchesForBench) {
  const auto options =
      std::get<BenchOptions>(Parse({"bench", "--weights", "w4", "--vision", "w4", "--head", "keep",
                                    "--batch", "1,4,8", "--csv"}));
  EXPECT_EQ(options.weights, "w4");
  EXPECT_EQ(options.vision, "w4");
  EXPECT_EQ(options.head, "keep");
  EXPECT_EQ(options.batches, (std::vector<int>{1, 4, 8}));
  EXPECT_TRUE(options.csv);
  EXPECT_EQ(ExitCodeOf({"bench", "--csv", "--json"}), 2);
  EXPECT_EQ(options.model.memory_limit, 0);
  EXPECT_EQ(ExitCodeOf({"bench", "--weights", "w3"}), 2);
  EXPECT_EQ(ExitCodeOf({"bench", "--batch", "0"}), 2);
}

TEST(ArgsModels, TakesAFileOfAnswersForBench) {
  EXPECT_EQ(std::get<BenchOptions>(Parse({"bench"})).replay, "");
  EXPECT_EQ(std::get<BenchOptions>(Parse({"bench", "--replay", "a.jsonl"})).replay, "a.jsonl");
}

// Bench looks for no model, unlike the commands that read.
TEST(ArgsModels, BenchsHelpSaysThatItNeedsNoModel) {
  const auto help_of = [](const char* command) {
    testing::internal::CaptureStdout();
    Parse({command, "--help"});
    return testing::internal::GetCapturedStdout();
  };
  EXPECT_NE(help_of("parse").find("octavo-nano"), std::string::npos);
  const std::string help = help_of("bench");
  EXPECT_NE(help.find("--model MODEL"), std::string::npos);
  EXPECT_EQ(help.find("octavo-nano"), std::string::npos) << help;
}

}  // namespace
}  // namespace octavo
