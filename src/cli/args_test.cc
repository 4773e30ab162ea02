#include "cli/args.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace octavo {
namespace {

Command Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "octavo");
  return ParseArgs(static_cast<int>(words.size()), words.data());
}

int ExitCodeOf(std::vector<const char*> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Command command = Parse(std::move(words));
  const std::string out = testing::internal::GetCapturedStdout();
  const std::string err = testing::internal::GetCapturedStderr();
  if (!std::holds_alternative<ExitNow>(command)) return -1;
  const int code = std::get<ExitNow>(command).exit_code;
  EXPECT_EQ(out.empty(), code != 0) << out;
  EXPECT_EQ(err.empty(), code == 0) << err;
  return code;
}

TEST(Args, TakesParseWithItsDefaults) {
  const Command command = Parse({"parse", "a.pdf", "b", "-o", "out"});
  const auto& options = std::get<ParseCommandOptions>(command);
  EXPECT_EQ(options.inputs, (std::vector<std::string>{"a.pdf", "b"}));
  EXPECT_EQ(options.output_dir, "out");
  EXPECT_EQ(options.formats, (std::vector<std::string>{"md", "content_list", "model"}));
  EXPECT_EQ(options.dpi, 200);
  EXPECT_EQ(options.layout, "auto");
  EXPECT_FALSE(options.force);
}

TEST(Args, TakesEveryFlagOfParse) {
  const Command command =
      Parse({"parse",   "a.pdf",           "-o",         "-",          "--format", "md,model",
             "--force", "--pages",         "1-3",        "--password", "p",        "--dpi",
             "100",     "--layout",        "whitespace", "--compute",  "f32",      "--threads",
             "2",       "--timings",       "--json",     "--model",    "m",        "--max-pixels",
             "100000",  "--image-analysis"});
  const auto& options = std::get<ParseCommandOptions>(command);
  EXPECT_EQ(options.output_dir, "-");
  EXPECT_EQ(options.formats, (std::vector<std::string>{"md", "model"}));
  EXPECT_TRUE(options.force && options.timings && options.json_events && options.image_analysis);
  EXPECT_EQ(options.pages, "1-3");
  EXPECT_EQ(options.password, "p");
  EXPECT_EQ(options.dpi, 100);
  EXPECT_EQ(options.layout, "whitespace");
  EXPECT_EQ(options.compute, "f32");
  EXPECT_EQ(options.num_threads, 2);
  EXPECT_EQ(options.model_dir, "m");
  EXPECT_EQ(options.max_pixels, 100000);
}

TEST(Args, TakesThePasswordFromOneSourceOnly) {
  const Command command = Parse({"parse", "a.pdf", "-o", "out", "--password-file", "-"});
  EXPECT_EQ(std::get<ParseCommandOptions>(command).password_file, "-");
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--password-file", "f", "--password", "p"}),
            2);
}

TEST(Args, BlanksPasswords) {
  std::string words[] = {"octavo",          "parse",   "--password", "secret",
                         "--password=hush", "--pages", "--password"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  BlankSecrets(static_cast<int>(argv.size()), argv.data());
  EXPECT_EQ(words[3], "******");
  EXPECT_EQ(words[4], "--password=****");
  EXPECT_EQ(words[5], "--pages");
  EXPECT_EQ(words[6], "--password");
}

TEST(Args, TakesTheLastWordOfAskAsTheQuestion) {
  const Command command = Parse({"ask", "a.png", "b.png", "What changed?", "--max-tokens", "9"});
  const auto& options = std::get<AskOptions>(command);
  EXPECT_EQ(options.pictures, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(options.question, "What changed?");
  EXPECT_EQ(options.answer.max_new_tokens, 9);
}

TEST(Args, TakesPicturesOfChat) {
  const auto options = std::get<ChatOptions>(Parse({"chat", "a.png", "b.png", "--seed", "4"}));
  EXPECT_EQ(options.pictures, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(options.answer.seed, 4u);
}

TEST(Args, TakesASizeForBench) {
  const auto options = std::get<BenchOptions>(Parse({"bench", "--image", "560x784", "--json"}));
  EXPECT_EQ(options.image_width, 560);
  EXPECT_EQ(options.image_height, 784);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.batches, std::vector<int>{1});
}

TEST(Args, TakesFormsAndBatchesForBench) {
  const auto options =
      std::get<BenchOptions>(Parse({"bench", "--weights", "w4", "--vision", "w4", "--head", "keep",
                                    "--batch", "1,4,8", "--csv"}));
  EXPECT_EQ(options.weights, "w4");
  EXPECT_EQ(options.vision, "w4");
  EXPECT_EQ(options.head, "keep");
  EXPECT_EQ(options.batches, (std::vector<int>{1, 4, 8}));
  EXPECT_TRUE(options.csv);
  EXPECT_EQ(ExitCodeOf({"bench", "--csv", "--json"}), 2);
  EXPECT_EQ(options.memory_limit, 0);
  EXPECT_EQ(ExitCodeOf({"bench", "--weights", "w3"}), 2);
  EXPECT_EQ(ExitCodeOf({"bench", "--batch", "0"}), 2);
}

TEST(Args, TakesAMemoryLimitInTheUnitsThatPeopleWrite) {
  const auto limit = [](const char* size) {
    return std::get<AskOptions>(Parse({"ask", "a.png", "?", "--memory-limit", size})).memory_limit;
  };
  EXPECT_EQ(limit("900000000"), 900'000'000);
  EXPECT_EQ(limit("900M"), 900'000'000);
  EXPECT_EQ(limit("2gb"), 2'000'000'000);
  EXPECT_EQ(limit("2GiB"), int64_t{2} << 30);
  for (const char* size : {"0", "-5", "much", "2X", "99999999999999999999"}) {
    EXPECT_EQ(ExitCodeOf({"serve", "--memory-limit", size}), 2) << size;
  }
}

TEST(Args, TakesSettingsOfEval) {
  const auto plain = std::get<EvalOptions>(Parse({"eval", "pages"}));
  EXPECT_EQ(plain.folder, "pages");
  EXPECT_EQ(plain.layouts, std::vector<std::string>{"auto"});
  EXPECT_TRUE(plain.model_dirs.empty() && plain.computes.empty() && plain.has_timing);
  const auto options = std::get<EvalOptions>(
      Parse({"eval", "--model", "a", "--model", "b", "--compute", "f32,bf16", "--layout",
             "auto,whitespace", "--no-timing", "--json", "--dpi", "100", "pages"}));
  EXPECT_EQ(options.folder, "pages");
  EXPECT_EQ(options.model_dirs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.computes, (std::vector<std::string>{"f32", "bf16"}));
  EXPECT_EQ(options.layouts, (std::vector<std::string>{"auto", "whitespace"}));
  EXPECT_FALSE(options.has_timing);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.dpi, 100);
}

TEST(Args, AnswersHelpAndVersion) {
  EXPECT_EQ(ExitCodeOf({"--help"}), 0);
  EXPECT_EQ(ExitCodeOf({"parse", "--help"}), 0);
  EXPECT_EQ(ExitCodeOf({"--version"}), 0);
  EXPECT_EQ(ExitCodeOf({}), 0);
}

TEST(Args, NamesTheWordThatIsWrong) {
  const auto complaint = [](const std::vector<const char*>& words) {
    testing::internal::CaptureStderr();
    Parse(words);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(complaint({"foo", "x"}),
            "octavo: no command 'foo'; octavo --help shows the commands\n");
  EXPECT_EQ(
      complaint({"pull", "mineru2.5-pro"}),
      "octavo: no command 'pull' yet: --model names a model's folder; octavo --help shows the "
      "commands\n");
  EXPECT_EQ(complaint({"ask", "x.png"}),
            "octavo: ask: found only 'x.png', expected PICTURE... \"QUESTION\"\n");
}

TEST(Args, RefusesWrongWishes) {
  EXPECT_EQ(ExitCodeOf({"nonsense"}), 2);
  EXPECT_EQ(ExitCodeOf({"pull", "x"}), 2);
  EXPECT_EQ(ExitCodeOf({"nonsense", "parse", "a.pdf", "-o", "out"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "-o", "out"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--dpi", "9"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--format", "docx"}), 2);
  EXPECT_EQ(ExitCodeOf({"ask", "a.png"}), 2);
  EXPECT_EQ(ExitCodeOf({"bench", "--image", "wide"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--nonsense"}), 2);
}

}  // namespace
}  // namespace octavo
