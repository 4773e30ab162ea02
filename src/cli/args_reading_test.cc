#include <string>
#include <vector>

#include "cli/test_support.h"

namespace octavo {
namespace {

TEST(ArgsReading, TakesParseWithItsDefaults) {
  const Command command = Parse({"parse", "a.pdf", "b", "-o", "out"});
  const auto& options = std::get<ParseCommandOptions>(command);
  EXPECT_EQ(options.inputs, (std::vector<std::string>{"a.pdf", "b"}));
  EXPECT_EQ(options.output_dir, "out");
  EXPECT_EQ(options.formats, (std::vector<std::string>{"md", "content_list", "model"}));
  EXPECT_EQ(options.dpi, 200);
  EXPECT_EQ(options.layout, "auto");
  EXPECT_FALSE(options.force || options.no_drafts);
}

TEST(ArgsReading, TakesEveryFlagOfParse) {
  const Command command = Parse({"parse",      "a.pdf",
                                 "-o",         "-",
                                 "--format",   "md,model",
                                 "--force",    "--pages",
                                 "1-3",        "--password",
                                 "p",          "--dpi",
                                 "100",        "--layout",
                                 "whitespace", "--compute",
                                 "f32",        "--threads",
                                 "2",          "--timings",
                                 "--json",     "--model",
                                 "m",          "--max-pixels",
                                 "100000",     "--image-analysis",
                                 "--no-drafts"});
  const auto& options = std::get<ParseCommandOptions>(command);
  EXPECT_EQ(options.output_dir, "-");
  EXPECT_EQ(options.formats, (std::vector<std::string>{"md", "model"}));
  EXPECT_TRUE(options.force && options.timings && options.json_events && options.image_analysis);
  EXPECT_TRUE(options.no_drafts);
  EXPECT_EQ(options.pages, "1-3");
  EXPECT_EQ(options.password, "p");
  EXPECT_EQ(options.dpi, 100);
  EXPECT_EQ(options.layout, "whitespace");
  EXPECT_EQ(options.model.compute, "f32");
  EXPECT_EQ(options.model.num_threads, 2);
  EXPECT_EQ(options.model.model_dir, "m");
  EXPECT_EQ(options.max_pixels, 100000);
}

TEST(ArgsReading, SwitchesOfSavingsAreAbsentUnlessTheyAreGiven) {
  const Command plain = Parse({"parse", "a.pdf", "-o", "out"});
  const SavingsFlags& none = std::get<ParseCommandOptions>(plain).savings;
  EXPECT_TRUE(none.quality.empty());
  EXPECT_FALSE(none.prune_blank.has_value());
  EXPECT_FALSE(none.layout_side.has_value());
  EXPECT_FALSE(none.line_height_px.has_value());
  const Command all = Parse({"parse", "a.pdf", "-o", "out", "--quality", "fast", "--no-prune-blank",
                             "--layout-side", "560", "--line-height", "20"});
  const SavingsFlags& some = std::get<ParseCommandOptions>(all).savings;
  EXPECT_EQ(some.quality, "fast");
  EXPECT_EQ(some.prune_blank, false);
  EXPECT_EQ(some.layout_side, 560);
  EXPECT_EQ(some.line_height_px, 20);
  const Command eval = Parse({"eval", "pages", "--prune-blank", "--gate", "balanced"});
  EXPECT_EQ(std::get<EvalOptions>(eval).savings.prune_blank, true);
  EXPECT_EQ(std::get<EvalOptions>(eval).gate, "balanced");
  EXPECT_EQ(ExitCodeOf({"eval", "pages", "--gate", "best"}), 2);
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--quality", "worst"}), 2);
}

TEST(ArgsReading, TakesThePasswordFromOneSourceOnly) {
  const Command command = Parse({"parse", "a.pdf", "-o", "out", "--password-file", "-"});
  EXPECT_EQ(std::get<ParseCommandOptions>(command).password_file, "-");
  EXPECT_EQ(ExitCodeOf({"parse", "a.pdf", "-o", "out", "--password-file", "f", "--password", "p"}),
            2);
}

TEST(ArgsReading, TakesTheLastWordOfAskAsTheQuestion) {
  const Command command = Parse({"ask", "a.png", "b.png", "What changed?", "--max-tokens", "9"});
  const auto& options = std::get<AskOptions>(command);
  EXPECT_EQ(options.pictures, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(options.question, "What changed?");
  EXPECT_EQ(options.answer.max_new_tokens, 9);
}

TEST(ArgsReading, TakesPicturesOfChat) {
  const auto options = std::get<ChatOptions>(Parse({"chat", "a.png", "b.png", "--seed", "4"}));
  EXPECT_EQ(options.pictures, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(options.answer.seed, 4u);
}

TEST(ArgsReading, TakesSettingsOfEval) {
  const auto plain = std::get<EvalOptions>(Parse({"eval", "pages"}));
  EXPECT_EQ(plain.folder, "pages");
  EXPECT_EQ(plain.layouts, std::vector<std::string>{"auto"});
  EXPECT_TRUE(plain.model_dirs.empty() && plain.computes.empty() && plain.has_timing);
  const auto options = std::get<EvalOptions>(
      Parse({"eval", "--model", "a", "--model", "b", "--compute", "f32,int16", "--layout",
             "auto,whitespace", "--no-timing", "--json", "--dpi", "100", "pages"}));
  EXPECT_EQ(options.folder, "pages");
  EXPECT_EQ(options.model_dirs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.computes, (std::vector<std::string>{"f32", "int16"}));
  EXPECT_EQ(options.layouts, (std::vector<std::string>{"auto", "whitespace"}));
  EXPECT_FALSE(options.has_timing);
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.dpi, 100);
}

}  // namespace
}  // namespace octavo
