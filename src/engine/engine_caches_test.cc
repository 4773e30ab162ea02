// The prefix cache and the encoder cache: they save work and change nothing.
#include <gtest/gtest.h>

#include <vector>

#include "engine/test_support.h"

namespace octavo {
namespace {

using testing::MakeTinyEngine;
using testing::PictureRequest;
using testing::TextRequest;

EngineOptions WithCaches(int64_t kv_cache_tokens = 4096) {
  return {.max_running = 4,
          .max_batch_tokens = 40,
          .kv_cache_tokens = kv_cache_tokens,
          .prefix_cache_tokens = kv_cache_tokens,
          .encoder_cache_tokens = 1000};
}

// Pictures 0 to 2, of several blocks. Sampled, so that small differences show.
Request Ask(int picture, const std::string& question) {
  Request request = PictureRequest(96, 128, question, 20, picture);
  request.sampling.temperature = 1.0;
  request.sampling.seed = 5;
  return request;
}

// The same with words before the picture.
Request AskLater(int picture, const std::string& question) {
  Request request = Ask(picture, question);
  auto& contents = request.messages[0].contents;
  contents.insert(contents.begin(), Content::Text("Look:"));
  return request;
}

Request AskAgain(Request first, const std::string& answer, const std::string& question) {
  first.messages.push_back({Message::Role::kAssistant, {Content::Text(answer)}});
  first.messages.push_back(Message::User({Content::Text(question)}));
  return first;
}

TEST(EngineCaches, TheSecondQuestionAboutAPictureCostsItsOwnWordsOnly) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  const Completion first = engine->Generate(Ask(1, "What?"));
  EXPECT_EQ(first.usage.cached_tokens, 0);
  EXPECT_GT(first.usage.encode_seconds, 0);
  const Completion second = engine->Generate(Ask(1, "And where?"));
  EXPECT_GE(second.usage.cached_tokens, 64);
  EXPECT_LT(second.usage.prompt_tokens - second.usage.cached_tokens, 64);
  EXPECT_EQ(second.usage.encode_seconds, 0);
  EXPECT_EQ(first.token_ids, plain->Generate(Ask(1, "What?")).token_ids);
  EXPECT_EQ(second.token_ids, plain->Generate(Ask(1, "And where?")).token_ids);
}

TEST(EngineCaches, APictureElsewhereIsNotEncodedAgain) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  engine->Generate(Ask(1, "What?"));
  const Completion later = engine->Generate(AskLater(1, "What?"));
  EXPECT_LT(later.usage.cached_tokens, 64);
  EXPECT_EQ(later.token_ids, plain->Generate(AskLater(1, "What?")).token_ids);
  // Without the encoder cache only the prefix helps.
  EngineOptions options = WithCaches();
  options.encoder_cache_tokens = 0;
  const auto prefix_only = MakeTinyEngine(options);
  prefix_only->Generate(Ask(1, "What?"));
  const Completion encoded = prefix_only->Generate(AskLater(1, "What?"));
  EXPECT_GT(encoded.usage.encode_seconds, 10 * later.usage.encode_seconds);
  EXPECT_EQ(encoded.token_ids, later.token_ids);
}

TEST(EngineCaches, TheNextTurnFindsTheLastOne) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  // Greedy: the answer is plain letters, which are the same tokens when they come back.
  Request request = Ask(1, "What?");
  request.sampling.temperature = 0;
  const Completion first = engine->Generate(request);
  const Request next = AskAgain(request, first.text, "Why?");
  const Completion second = engine->Generate(next);
  // More than there was before the answer.
  EXPECT_GE(second.usage.cached_tokens, first.usage.prompt_tokens);
  EXPECT_EQ(second.token_ids, plain->Generate(next).token_ids);
}

// An idle engine lets the memory of free blocks go; some of them have been handed out again since
// they were freed, and are kept.
TEST(EngineCaches, WhatIsKeptSurvivesAPause) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  // No pause while this runs: blocks of the second are freed, and handed out for the picture.
  const auto running = engine->Submit(TextRequest("long", 0));
  engine->Generate(TextRequest(std::string(200, 'x'), 1));
  engine->Generate(Ask(1, "What?"));
  running->Cancel();
  running->Wait();
  engine->Generate(TextRequest("pause", 1));
  const Completion completion = engine->Generate(Ask(1, "What?"));
  EXPECT_GE(completion.usage.cached_tokens, 64);
  EXPECT_EQ(completion.token_ids, plain->Generate(Ask(1, "What?")).token_ids);
}

TEST(EngineCaches, PicturesAreNeverMixed) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  std::vector<Completion> expected;
  for (const int picture : {0, 1, 2}) expected.push_back(plain->Generate(Ask(picture, "?")));
  ASSERT_NE(expected[0].token_ids, expected[1].token_ids);
  ASSERT_NE(expected[1].token_ids, expected[2].token_ids);
  for (const size_t picture : {0, 1, 2, 2, 0, 1}) {
    EXPECT_EQ(engine->Generate(Ask(static_cast<int>(picture), "?")).token_ids,
              expected[picture].token_ids);
  }
}

TEST(EngineCaches, OnePixelMakesAnotherPicture) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  engine->Generate(Ask(1, "?"));
  const auto changed = [] {
    Request request = Ask(1, "?");
    request.pictures[0].rgb.back() ^= 0xFF;
    return request;
  };
  const Completion completion = engine->Generate(changed());
  EXPECT_LT(completion.usage.cached_tokens, 64);
  EXPECT_GT(completion.usage.encode_seconds, 0);
  EXPECT_EQ(completion.token_ids, plain->Generate(changed()).token_ids);
}

// The same tokens, of a picture as wide as the other is high: other places, other answers.
TEST(EngineCaches, TheShapeOfAPictureCounts) {
  const auto engine = MakeTinyEngine(WithCaches());
  const auto uniform = [](int h, int w) {
    Request request = PictureRequest(h, w, "?", 20);
    request.pictures[0].rgb.assign(request.pictures[0].rgb.size(), 128);
    return request;
  };
  const Completion wide = engine->Generate(uniform(96, 128));
  const Completion high = engine->Generate(uniform(128, 96));
  EXPECT_EQ(high.usage.prompt_tokens, wide.usage.prompt_tokens);
  EXPECT_LT(high.usage.cached_tokens, 64);
  EXPECT_EQ(high.token_ids, MakeTinyEngine()->Generate(uniform(128, 96)).token_ids);
}

// White paper, which the tiny model sees in 5 x 6 cells, with a dark spot inside one of them.
Request AskAboutASpot(bool prunes) {
  Request request = PictureRequest(96, 128, "What?", 20);
  std::vector<uint8_t>& rgb = request.pictures[0].rgb;
  rgb.assign(rgb.size(), 255);
  rgb[(60 * 128 + 60) * 3] = 0;
  request.prune_blank = prunes;
  return request;
}

TEST(EngineCaches, BlankCellsAreLeftOutOfWhatTheModelSees) {
  const auto engine = MakeTinyEngine();
  const Completion all = engine->Generate(AskAboutASpot(false));
  const Completion some = engine->Generate(AskAboutASpot(true));
  EXPECT_EQ(all.usage.prompt_tokens - some.usage.prompt_tokens, 5 * 6 - 9);
  EXPECT_NE(some.token_ids, all.token_ids);
  for (const int num_threads : {1, 3}) {
    const auto other = MakeTinyEngine({.num_threads = num_threads, .max_batch_tokens = 8});
    EXPECT_EQ(other->Generate(AskAboutASpot(true)).token_ids, some.token_ids);
  }
  // Nothing is blank: the same bits.
  Request busy = PictureRequest(96, 128, "What?", 20, 0);
  const std::vector<int32_t> expected = engine->Generate(Request(busy)).token_ids;
  busy.prune_blank = true;
  EXPECT_EQ(engine->Generate(std::move(busy)).token_ids, expected);
}

TEST(EngineCaches, APictureWithoutItsBlankCellsIsAnother) {
  const auto plain = MakeTinyEngine();
  const auto engine = MakeTinyEngine(WithCaches());
  const std::vector<int32_t> all = plain->Generate(AskAboutASpot(false)).token_ids;
  const std::vector<int32_t> some = plain->Generate(AskAboutASpot(true)).token_ids;
  for (const bool prunes : {false, true, true, false, true}) {
    EXPECT_EQ(engine->Generate(AskAboutASpot(prunes)).token_ids, prunes ? some : all) << prunes;
  }
}

// Little room for the cache: sequences share blocks, wait, are preempted and come back while
// others encode the same pictures.
TEST(EngineCaches, ChangeNothingWhenEverythingRunsAtOnce) {
  const auto requests = [] {
    std::vector<Request> all;
    for (int round = 0; round < 3; ++round) {
      for (const int picture : {1, 2}) {
        all.push_back(Ask(picture, "What is in row " + std::to_string(round) + "?"));
        all.push_back(AskLater(picture, "Why?"));
        all.push_back(TextRequest(std::string(70, 'x') + std::to_string(round), 90));
      }
    }
    return all;
  };
  std::vector<std::vector<int32_t>> expected;
  const auto plain = MakeTinyEngine();
  for (Request& request : requests()) {
    expected.push_back(plain->Generate(std::move(request)).token_ids);
  }
  for (const int64_t kv_cache_tokens : {4096, 768, 416}) {
    const auto engine = MakeTinyEngine(WithCaches(kv_cache_tokens));
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<std::unique_ptr<Engine::Ticket>> tickets;
      for (Request& request : requests()) tickets.push_back(engine->Submit(std::move(request)));
      for (size_t i = 0; i < tickets.size(); ++i) {
        EXPECT_EQ(tickets[i]->Wait().token_ids, expected[i]) << kv_cache_tokens << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace octavo
