#include <string>
#include <vector>

#include "cli/test_support.h"

namespace octavo {
namespace {

TEST(ArgsShared, TakesAMemoryLimitInTheUnitsThatPeopleWrite) {
  const auto limit = [](const char* size) {
    return std::get<AskOptions>(Parse({"ask", "a.png", "?", "--memory-limit", size}))
        .model.memory_limit;
  };
  EXPECT_EQ(limit("900000000"), 900'000'000);
  EXPECT_EQ(limit("900M"), 900'000'000);
  EXPECT_EQ(limit("2gb"), 2'000'000'000);
  EXPECT_EQ(limit("2GiB"), int64_t{2} << 30);
  for (const char* size : {"0", "-5", "much", "2X", "99999999999999999999"}) {
    EXPECT_EQ(ExitCodeOf({"serve", "--memory-limit", size}), 2) << size;
  }
}

TEST(ArgsShared, EveryCommandWithAModelTakesTheFlagsOfOne) {
  const auto check = [](const ModelFlags& flags) {
    EXPECT_EQ(flags.model_dir, "m");
    EXPECT_EQ(flags.compute, "f32");
    EXPECT_EQ(flags.attention, "int16");
    EXPECT_EQ(flags.kv_cache_dtype, "int8");
    EXPECT_EQ(flags.num_threads, 3);
    EXPECT_EQ(flags.memory_limit, 2'000'000'000);
  };
  const auto with_flags = [](std::vector<const char*> words) {
    for (const char* word :
         {"--model", "m", "--compute", "f32", "--attention", "int16", "--kv-cache-dtype", "int8",
          "--threads", "3", "--memory-limit", "2G"}) {
      words.push_back(word);
    }
    return Parse(words);
  };
  check(std::get<ParseCommandOptions>(with_flags({"parse", "a.png", "-o", "out"})).model);
  check(std::get<AskOptions>(with_flags({"ask", "a.png", "?"})).model);
  check(std::get<ChatOptions>(with_flags({"chat", "a.png"})).model);
  check(std::get<ServeOptions>(with_flags({"serve"})).model);
  check(std::get<BenchOptions>(with_flags({"bench"})).model);
  EXPECT_EQ(ExitCodeOf({"serve", "--kv-cache-dtype", "fp8"}), 2);
}

TEST(ArgsShared, TakesEveryArithmetic) {
  for (const char* compute : {"f32", "bf16", "int8", "int16"}) {
    EXPECT_EQ(std::get<ServeOptions>(Parse({"serve", "--compute", compute})).model.compute,
              compute);
    EXPECT_EQ(std::get<InspectOptions>(Parse({"inspect", "m", "--compute", compute})).compute,
              compute);
  }
  EXPECT_EQ(ExitCodeOf({"serve", "--compute", "int4"}), 2);
}

TEST(ArgsShared, RealNumbersHaveARangeThatHoldsNoNan) {
  EXPECT_EQ(
      std::get<AskOptions>(Parse({"ask", "a.png", "?", "--temperature", "0.5"})).answer.temperature,
      0.5);
  EXPECT_EQ(std::get<ServeOptions>(Parse({"serve", "--grace", "86400"})).grace_seconds, 86400);
  for (const char* value : {"nan", "-nan", "-1", "inf", "1e9", "hot", ""}) {
    EXPECT_EQ(ExitCodeOf({"ask", "a.png", "?", "--temperature", value}), 2) << value;
    EXPECT_EQ(ExitCodeOf({"serve", "--grace", value}), 2) << value;
    EXPECT_EQ(ExitCodeOf({"quantize", "-o", "out", "--min-agreement", value}), 2) << value;
  }
}

TEST(ArgsShared, BlankCellsAreLeftOutOrNot) {
  const auto savings = [](const char* flag) {
    return std::get<ParseCommandOptions>(Parse({"parse", "a.png", "-o", "out", flag})).savings;
  };
  EXPECT_EQ(savings("--prune-blank").prune_blank, true);
  EXPECT_EQ(savings("--no-prune-blank").prune_blank, false);
  EXPECT_EQ(ExitCodeOf({"parse", "a.png", "-o", "out", "--no-prune-blank", "--prune-blank"}), 2);
}

TEST(ArgsShared, AListEndsWithItsWord) {
  const auto options =
      std::get<ParseCommandOptions>(Parse({"parse", "--format", "md,model", "a.png", "-o", "out"}));
  EXPECT_EQ(options.formats, (std::vector<std::string>{"md", "model"}));
  EXPECT_EQ(options.inputs, std::vector<std::string>{"a.png"});
}

}  // namespace
}  // namespace octavo
