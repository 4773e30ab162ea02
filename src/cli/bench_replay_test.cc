#include "cli/bench_replay.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "cli/synthetic_model.h"
#include "engine/drafter.h"
#include "engine/model_files.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "testing/error_code.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlock =
    "<|box_start|>123 456 789 147<|box_end|><|ref_start|>text<|ref_end|><|rotate_up|>";

// A tiny model whose tokens are bytes and the signs of layout.
class BenchReplay : public ::testing::Test {
 protected:
  BenchReplay() : checkpoint_(OpenSyntheticModel("tiny", 1)), files_(LoadModelFiles(*checkpoint_)) {
    path_ = fs::path(::testing::TempDir()) /
            (std::string("bench_replay_") +
             ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl");
  }
  ~BenchReplay() override { fs::remove(path_); }

  std::vector<ReplayAnswer> Read(std::string_view lines) const {
    WriteFileAtomically(path_, lines);
    return ReadReplayAnswers(path_.string(), files_.tokenizer, files_.config.eos_token_ids);
  }
  // The message of a kDataLoss behind the file's name.
  std::string Refusal(std::string_view lines) const {
    try {
      Read(lines);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
      const std::string message = error.what();
      const std::string name = PrintableName(path_.string());
      EXPECT_TRUE(message.starts_with(name)) << message;
      return message.substr(std::min(message.size(), name.size()));
    }
    return "accepted";
  }
  ReplayAnswer Answer(std::string_view text, bool is_layout) const {
    ReplayAnswer answer = {.ids = files_.tokenizer.Encode(text), .is_layout = is_layout};
    answer.ids.push_back(files_.config.eos_token_ids.front());
    return answer;
  }
  ReplayTimes Replay(std::vector<ReplayAnswer> answers, int num_threads = 1) const;

  const std::unique_ptr<Checkpoint> checkpoint_;
  const ModelFiles files_;
  fs::path path_;
};

// Behind a prompt of seven ids that no answer here has.
ReplayTimes BenchReplay::Replay(std::vector<ReplayAnswer> answers, int num_threads) const {
  ThreadPool pool(num_threads);
  ModelOptions options;
  options.max_drafted = kMaxDrafted;
  Model model(*checkpoint_, options, {.kernels = &SelectedKernels(), .pool = &pool});
  const ReplayPlan plan = {.answers = std::move(answers), .tokenizer = &files_.tokenizer};
  const std::vector<int32_t> prompt = {1000, 1001, 1002, 1003, 1004, 1005, 1006};
  const int64_t tokens = std::ssize(prompt) + ReplayCacheTokens(plan);
  std::vector<int32_t> blocks(static_cast<size_t>((tokens + kKvBlockSize - 1) / kKvBlockSize));
  std::iota(blocks.begin(), blocks.end(), 0);
  const KvCache cache(files_.config.text, DType::kBF16, static_cast<int>(blocks.size()));
  ForwardBatch batch;
  batch.token_ids = prompt;
  batch.image_rows.resize(prompt.size());
  for (auto& stream : batch.positions) {
    stream.resize(prompt.size());
    std::iota(stream.begin(), stream.end(), 0);
  }
  batch.sequences.push_back({.block_table = blocks, .num_new = std::ssize(prompt)});
  model.Forward(batch, cache, FloatMatrix(nullptr, 0, files_.config.text.vocab_size));
  return ReplayAnswers(&model, cache, {.ids = prompt, .block_table = blocks}, plan, [](double) {});
}

// By hand: a step for each of the digits but the first of each later number, which comes with the
// space before it: 12 (with the begin of the first, "<|box_start|>", given). The third digit of the
// last number is followed by "<|box_end|><|ref_start|>" and "t" in one step, "e" takes one, and the
// last step guesses "xt<|ref_end|><|rotate_up|>" and the begin of a next block, which is wrong: the
// answer ends.
TEST_F(BenchReplay, CountsTheStepsOfALayoutAnswer) {
  const ReplayTimes times = Replay({Answer(kBlock, true)});
  EXPECT_EQ(times.answers, 1);
  EXPECT_EQ(times.tokens, 24);
  EXPECT_EQ(times.without_drafts.steps, 24);
  EXPECT_EQ(times.without_drafts.drafted_tokens, 0);
  EXPECT_EQ(times.without_drafts.accepted_tokens, 0);
  EXPECT_EQ(times.with_drafts.steps, 12 + 1 + 1 + 1);
  EXPECT_EQ(times.with_drafts.drafted_tokens, 3 * 1 + 2 + 6);
  EXPECT_EQ(times.with_drafts.accepted_tokens, 3 * 1 + 2 + 4);
  EXPECT_EQ(times.differing_choices, 0);
  EXPECT_GT(times.without_drafts.seconds, 0);
  EXPECT_GT(times.with_drafts.seconds, 0);
}

// By hand: six steps until "abc" stood there before, one that guesses two tokens and is right, one
// that guesses four and is right with "cd" before the end.
TEST_F(BenchReplay, CountsTheStepsOfAnAnswerThatRepeatsItself) {
  const ReplayTimes times = Replay({Answer("abcdabcdabcd", false)});
  EXPECT_EQ(times.tokens, 12);
  EXPECT_EQ(times.without_drafts.steps, 12);
  EXPECT_EQ(times.with_drafts.steps, 8);
  EXPECT_EQ(times.with_drafts.drafted_tokens, 2 + 4);
  EXPECT_EQ(times.with_drafts.accepted_tokens, 2 + 2);
}

// The grammar is for layout answers only; without it this one has nothing to guess from.
TEST_F(BenchReplay, UsesTheGrammarForLayoutOnly) {
  const ReplayTimes times = Replay({Answer(kBlock, false)});
  EXPECT_EQ(times.with_drafts.steps, 24);
  EXPECT_EQ(times.with_drafts.drafted_tokens, 0);
  EXPECT_DOUBLE_EQ(times.saved_share(),
                   1 - times.with_drafts.seconds / times.without_drafts.seconds);
}

// Wrong guesses leave rows in the cache that the next step overwrites; whatever the drafts, each
// token of an answer is one that a step gave, and the model's own choices stay the same.
TEST_F(BenchReplay, AddsUpOverAnswersAndNeverChangesAChoice) {
  const std::string two_blocks = std::string(kBlock) + "\n" + std::string(kBlock);
  const std::vector<ReplayAnswer> answers = {
      Answer(kBlock, true), Answer("abcdabcdabcd", false), Answer(two_blocks, true),
      Answer("<|box_start|>100 900 100 200<|box_end|> and words, and words", true),
      Answer("aaaaaaaaabaaaaaaaaabaaaaaaaaaaaaaaaac", false)};
  int64_t tokens = 0;
  for (const ReplayAnswer& answer : answers) tokens += std::ssize(answer.ids) - 1;
  const ReplayTimes times = Replay(answers, 2);
  EXPECT_EQ(times.answers, 5);
  EXPECT_EQ(times.tokens, tokens);
  EXPECT_EQ(times.without_drafts.steps, tokens);
  EXPECT_EQ(times.with_drafts.steps + times.with_drafts.accepted_tokens, tokens);
  EXPECT_LT(times.with_drafts.accepted_tokens, times.with_drafts.drafted_tokens) << "some wrong";
  EXPECT_EQ(times.differing_choices, 0);
}

TEST_F(BenchReplay, ReadsALineForEachAnswer) {
  const std::vector<ReplayAnswer> answers = Read(
      "{\"answer\": \"ab\"}\n"
      "\n"
      "{\"answer\": \"c<|im_end|>\", \"prompt\": \"\\nTable Recognition:\", \"page\": 4}\r\n"
      "{\"prompt\": \"\\nLayout Detection:\", \"answer\": \"<|box_start|>\"}");
  const int32_t end = files_.config.eos_token_ids.front();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].ids, (std::vector<int32_t>{'a', 'b', end}));
  EXPECT_TRUE(answers[0].is_layout);
  EXPECT_EQ(answers[1].ids.size(), 2u) << "it has an end";
  EXPECT_FALSE(answers[1].is_layout);
  EXPECT_EQ(answers[2].ids.size(), 2u) << "a sign of layout is a token";
  EXPECT_TRUE(answers[2].is_layout);
  EXPECT_EQ(ReplayCacheTokens({.answers = answers, .tokenizer = nullptr}), 3 + kMaxDrafted);
  EXPECT_EQ(ReplayCacheTokens({}), 0);
}

TEST_F(BenchReplay, RefusesWhatIsNoAnswer) {
  EXPECT_EQ(Refusal(""), ": has no answer, expected a line {\"answer\": …} for each");
  EXPECT_EQ(Refusal("\n \n"), ": has no answer, expected a line {\"answer\": …} for each");
  EXPECT_EQ(Refusal("{\"answer\": \"a\"}\n[]\n"), ", line 2: found array, expected an object");
  EXPECT_EQ(Refusal("\n{}"), ", line 2: \"answer\" is absent");
  EXPECT_EQ(Refusal("{\"answer\": 5}"), ", line 1: \"answer\" is number, expected a string");
  EXPECT_EQ(Refusal("{\"answer\": \"a\", \"prompt\": null}"),
            ", line 1: \"prompt\" is null, expected a string");
  EXPECT_EQ(Refusal("{\"answer\": \"\"}"),
            ", line 1: \"answer\" has 1 tokens with its end, expected 2 or more");
  EXPECT_EQ(testing::ErrorCodeOf(
                [&] { ReadReplayAnswers(path_.string() + ".absent", files_.tokenizer, {}); }),
            ErrorCode::kNotFound);
}

// Whatever byte is lost or another: answers, or one line of refusal; never a crash.
TEST_F(BenchReplay, SurvivesDamage) {
  const std::string line = "{\"answer\": \"<|box_start|>1\", \"prompt\": \"\\nä\"}";
  for (size_t i = 0; i < line.size(); ++i) {
    for (const char c : {'\0', '\xFF', '"', '{', '\n', '\\'}) {
      std::string damaged = line;
      damaged[i] = c;
      Refusal(damaged);
      Refusal(line.substr(0, i));
    }
  }
}

// The answers that docs/performance.md counts.
TEST_F(BenchReplay, ReadsTheAnswersOfTheRepository) {
  const auto answers = ReadReplayAnswers(OCTAVO_TEST_DATA_DIR "/layout_answers/answers.jsonl",
                                         files_.tokenizer, files_.config.eos_token_ids);
  EXPECT_EQ(answers.size(), 19u);
  const auto tokens =
      std::accumulate(answers.begin(), answers.end(), int64_t{0},
                      [](int64_t sum, const auto& answer) { return sum + std::ssize(answer.ids); });
  EXPECT_EQ(tokens, 4386 + 19);
}

}  // namespace
}  // namespace octavo
