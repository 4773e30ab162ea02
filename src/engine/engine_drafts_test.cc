// Drafts change no answer: the engine with them against plain decoding.
#include <gtest/gtest.h>

#include <random>

#include "engine/engine.h"
#include "engine/test_support.h"
#include "octavo/error.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

using testing::MakeTinyEngine;
using testing::PictureRequest;
using testing::TextRequest;

constexpr int kNumSeeds = 24;

int Below(std::mt19937* random, int end) { return static_cast<int>((*random)() % end); }

// A request with rules of every kind, by seed. A few likely letters make answers repeat themselves.
Request RandomRequest(int seed) {
  std::mt19937 random(static_cast<uint32_t>(seed));
  const int length = 1 + Below(&random, 70);
  Request request = seed % 4 == 3 ? PictureRequest(20 + Below(&random, 40), 30, "abab", length)
                                  : TextRequest("abcabcab" + std::to_string(seed), length);
  SamplingParams& sampling = request.sampling;
  for (int i = 0; i < 2 + Below(&random, 3); ++i) {
    sampling.logit_bias['a' + Below(&random, 6)] = 3.0 + Below(&random, 60);
  }
  if (seed % 5 == 1) sampling.repetition_penalty = 1.3;
  if (seed % 5 == 2) sampling.presence_penalty = 1.5;
  if (seed % 5 == 3) sampling.frequency_penalty = 0.2;
  if (seed % 3 == 1) sampling.no_repeat_ngram_size = 2 + Below(&random, 4);
  if (seed % 6 == 2) sampling.stop = {"ab", "cc", "ea"};
  if (seed % 6 == 4) sampling.stop_token_ids = {'a' + Below(&random, 6)};
  if (seed % 7 == 5) sampling.temperature = 0.8;
  sampling.seed = static_cast<uint64_t>(seed);
  if (seed % 6 == 5) sampling.ignore_eos = false;
  return request;
}

// The answer itself, or with every few tokens another, missing or too many.
std::vector<int32_t> DraftOf(const std::vector<int32_t>& answer, int seed, int kind) {
  std::mt19937 random(static_cast<uint32_t>(1000 * kind + seed));
  if (kind == 0) return answer;
  std::vector<int32_t> draft;
  for (const int32_t id : answer) {
    if (kind == 2) {
      draft.push_back(Below(&random, 287));
      continue;
    }
    const int chance = Below(&random, 12);
    if (chance != 0) draft.push_back(id);
    if (chance < 2) draft.push_back(Below(&random, 287));
  }
  draft.push_back('a');  // goes on where the answer ends
  return draft;
}

std::vector<Completion> PlainAnswers(const std::string& compute) {
  const auto engine = MakeTinyEngine({.compute = compute, .num_threads = 1, .drafting = false});
  std::vector<Completion> answers;
  for (int seed = 0; seed < kNumSeeds; ++seed) {
    answers.push_back(engine->Generate(RandomRequest(seed)));
    const Usage& usage = answers.back().usage;
    EXPECT_EQ(usage.decode_steps, usage.completion_tokens);
    EXPECT_EQ(usage.drafted_tokens, 0);
  }
  return answers;
}

// Checks what streams, too.
void ExpectSame(const Completion& drafted, const Completion& plain, const std::string& streamed,
                const std::string& where) {
  EXPECT_EQ(drafted.token_ids, plain.token_ids) << where;
  EXPECT_EQ(drafted.text, plain.text) << where;
  EXPECT_EQ(streamed, plain.text) << where;
  EXPECT_EQ(drafted.finish_reason, plain.finish_reason) << where;
  const Usage& usage = drafted.usage;
  EXPECT_EQ(usage.completion_tokens, plain.usage.completion_tokens) << where;
  EXPECT_EQ(usage.decode_steps + usage.accepted_tokens, usage.completion_tokens) << where;
  EXPECT_LE(usage.accepted_tokens, usage.drafted_tokens) << where;
}

class EngineDrafts : public ::testing::TestWithParam<const char*> {};

// All together, so that each has neighbours that draft; in a large cache and in one that preempts,
// with and without a prefix cache.
TEST_P(EngineDrafts, ChangeNoAnswer) {
  const std::vector<Completion> plain = PlainAnswers(GetParam());
  const EngineOptions small = {.compute = GetParam(),
                               .max_running = 4,
                               .max_batch_tokens = 24,
                               .kv_cache_tokens = 224,
                               .prefix_cache_tokens = 96};
  for (const EngineOptions& options : {EngineOptions{.compute = GetParam()}, small}) {
    const auto engine = MakeTinyEngine(options);
    for (int kind = 0; kind < 4; ++kind) {  // right, half right, wrong, only n-grams
      std::vector<std::string> streamed(plain.size());
      std::vector<std::unique_ptr<Engine::Ticket>> tickets;
      for (int seed = 0; seed < kNumSeeds; ++seed) {
        const auto i = static_cast<size_t>(seed);
        Request request = RandomRequest(seed);
        if (kind < 3) request.drafting.token_ids = DraftOf(plain[i].token_ids, seed, kind);
        request.drafting.ngram_size = seed % 2 == 0 || kind == 3 ? 2 : 0;
        request.on_token = [text = &streamed[i]](const TokenEvent& event) { *text += event.text; };
        tickets.push_back(engine->Submit(std::move(request)));
      }
      Usage sum;
      for (size_t i = 0; i < tickets.size(); ++i) {
        const Completion completion = tickets[i]->Wait();
        ExpectSame(completion, plain[i], streamed[i],
                   "kind " + std::to_string(kind) + ", seed " + std::to_string(i));
        sum.drafted_tokens += completion.usage.drafted_tokens;
        sum.accepted_tokens += completion.usage.accepted_tokens;
      }
      EXPECT_GT(sum.drafted_tokens, 20) << kind;
      if (kind != 2) {
        EXPECT_GT(sum.accepted_tokens, 20) << kind;
      }
      EXPECT_LT(sum.accepted_tokens, sum.drafted_tokens) << "drafts go on behind answers' ends";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Computes, EngineDrafts, ::testing::Values("f32", "bf16"),
                         [](const auto& param_info) { return std::string(param_info.param); });

TEST(EngineDraft, ARightOneSavesMostSteps) {
  const auto engine = MakeTinyEngine();
  Request request = TextRequest("x", 120);
  request.drafting = {.ngram_size = 0};
  const Completion plain = engine->Generate(request);
  EXPECT_EQ(plain.usage.decode_steps, 120);
  request.drafting.token_ids = plain.token_ids;
  const Completion drafted = engine->Generate(request);
  EXPECT_EQ(drafted.token_ids, plain.token_ids);
  EXPECT_LE(drafted.usage.decode_steps, 20);
}

TEST(EngineDraft, WhatAGrammarForcesIsOnlyAGuess) {
  const auto engine = MakeTinyEngine();
  Request request = TextRequest("x", 60);
  request.sampling.skip_special_tokens = false;
  const Completion plain = engine->Generate(request);
  std::string last;
  request.drafting.forced = [&](std::string_view answer) {
    EXPECT_TRUE(answer.starts_with(last));
    last = answer;
    return std::string("<|box_end|> 1");
  };
  const Completion forced = engine->Generate(request);
  EXPECT_EQ(forced.token_ids, plain.token_ids);
  EXPECT_FALSE(last.empty());
}

TEST(EngineDraft, AGrammarThatThrowsEndsItsRequestOnly) {
  const auto engine = MakeTinyEngine();
  const std::vector<int32_t> expected = engine->Generate(TextRequest("other", 60)).token_ids;
  Request request = TextRequest("x", 60);
  request.drafting.forced = [](std::string_view answer) -> std::string {
    if (answer.size() > 8) throw std::runtime_error("no grammar");
    return {};
  };
  const auto bad = engine->Submit(std::move(request));
  const auto other = engine->Submit(TextRequest("other", 60));
  EXPECT_THROW(bad->Wait(), std::runtime_error);
  EXPECT_EQ(other->Wait().token_ids, expected);
}

TEST(EngineDraft, RefusesIdsThatAreNoneAndWrongSizes) {
  const auto engine = MakeTinyEngine();
  const auto code = [&](Drafting drafting) {
    Request request = TextRequest("x", 1);
    request.drafting = std::move(drafting);
    return testing::ErrorCodeOf([&] { engine->Submit(std::move(request)); });
  };
  EXPECT_EQ(code({.ngram_size = 1}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.ngram_size = 17}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.token_ids = {287}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code({.token_ids = {-1}}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace octavo
