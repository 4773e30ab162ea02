#include "engine/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "engine/test_support.h"
#include "tests/testing/edited_checkpoint.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

using testing::MakeTinyEngine;
using testing::PictureRequest;
using testing::TextRequest;

// Requests of every kind: greedy, penalised, sampled, with and without pictures.
std::vector<Request> MixedRequests() {
  std::vector<Request> requests;
  requests.push_back(TextRequest("short", 40));
  requests.push_back(PictureRequest(40, 60, "\nText Recognition:", 30));
  requests.push_back(TextRequest(std::string(100, 'x'), 25));
  requests.back().sampling.temperature = 1.0;
  requests.back().sampling.seed = 3;
  requests.push_back(PictureRequest(13, 90, "\nTable Recognition:", 35));
  requests.back().sampling.presence_penalty = 1.0;
  requests.back().sampling.no_repeat_ngram_size = 3;
  requests.push_back(TextRequest("again", 50));
  requests.back().sampling.temperature = 0.7;
  requests.back().sampling.top_p = 0.9;
  requests.back().sampling.seed = 4;
  requests.push_back(PictureRequest(64, 64, "", 10));
  requests.back().sampling.repetition_penalty = 1.2;
  return requests;
}

void ExpectTheSameInCompany(const std::string& kv_cache_dtype) {
  SCOPED_TRACE("keys and values as " + kv_cache_dtype);
  std::vector<Completion> alone;
  {
    const auto engine = MakeTinyEngine({.kv_cache_dtype = kv_cache_dtype, .num_threads = 1});
    EXPECT_EQ(engine->info().kv_cache_dtype, kv_cache_dtype);
    for (Request& request : MixedRequests()) {
      alone.push_back(engine->Generate(std::move(request)));
      EXPECT_EQ(static_cast<int>(alone.back().token_ids.size()),
                MixedRequests()[alone.size() - 1].sampling.max_new_tokens);
    }
  }
  // The second cache holds two or three of them at once: sequences wait and are preempted.
  for (const int64_t kv_cache_tokens : {4096, 320}) {
    const auto engine = MakeTinyEngine({.kv_cache_dtype = kv_cache_dtype,
                                        .num_threads = 3,
                                        .max_running = 4,
                                        .max_batch_tokens = 40,
                                        .kv_cache_tokens = kv_cache_tokens});
    std::vector<std::unique_ptr<Engine::Ticket>> tickets;
    for (Request& request : MixedRequests()) tickets.push_back(engine->Submit(std::move(request)));
    for (size_t i = 0; i < tickets.size(); ++i) {
      const Completion together = tickets[i]->Wait();
      EXPECT_EQ(together.token_ids, alone[i].token_ids) << "request " << i;
      EXPECT_EQ(together.text, alone[i].text) << "request " << i;
    }
  }
}

TEST(Engine, ResultsDependNeitherOnTheBatchNorOnTheCacheNorOnThreads) {
  for (const char* kv_cache_dtype : {"f32", "bf16", "f16", "int8"}) {
    ExpectTheSameInCompany(kv_cache_dtype);
  }
}

TEST(Engine, KeysAndValuesAreAsComputeSaysUnlessWishedOtherwise) {
  EXPECT_EQ(MakeTinyEngine({.compute = "f32"})->info().kv_cache_dtype, "f32");
  EXPECT_EQ(MakeTinyEngine({.compute = "bf16"})->info().kv_cache_dtype, "bf16");
  // In as much memory there is room for twice the tokens and more.
  const auto tokens = [](const char* kv_cache_dtype) {
    return MakeTinyEngine({.compute = "f32",
                           .kv_cache_dtype = kv_cache_dtype,
                           .kv_cache_tokens = int64_t{1} << 22,
                           .memory_limit_bytes = 150'000'000})
        ->info()
        .kv_cache_tokens;
  };
  EXPECT_GT(tokens("bf16"), tokens("f32") * 19 / 10);
  EXPECT_EQ(tokens("f16"), tokens("bf16"));
  EXPECT_GT(tokens("int8"), tokens("bf16") * 3 / 2);
}

TEST(Engine, StreamsExactlyTheText) {
  const auto engine = MakeTinyEngine();
  for (Request& request : MixedRequests()) {
    std::string streamed;
    std::vector<int32_t> ids;
    request.on_token = [&](const TokenEvent& event) {
      streamed += event.text;
      ids.push_back(event.id);
    };
    const Completion completion = engine->Generate(std::move(request));
    EXPECT_EQ(streamed, completion.text);
    EXPECT_EQ(ids, completion.token_ids);
  }
}

TEST(Engine, EndsAtTheEndToken) {
  const auto engine = MakeTinyEngine();
  Request request = TextRequest("x", 20);
  request.sampling.ignore_eos = false;
  request.sampling.logit_bias = {{testing::kTinyEosId, 1000.0}};
  const Completion completion = engine->Generate(std::move(request));
  EXPECT_EQ(completion.finish_reason, FinishReason::kStop);
  EXPECT_EQ(completion.token_ids, (std::vector<int32_t>{testing::kTinyEosId}));
  EXPECT_EQ(completion.text, "");
}

TEST(Engine, NeverChoosesAnIdWithoutAToken) {
  const auto engine = MakeTinyEngine();
  Request request = TextRequest("x", 5);
  request.sampling.logit_bias = {{299, 1000.0}};
  for (const int32_t id : engine->Generate(std::move(request)).token_ids) EXPECT_LT(id, 287);
}

TEST(Engine, StopsBeforeAStopString) {
  const auto engine = MakeTinyEngine();
  const auto biased = [] {
    Request request = TextRequest("x", 50);
    request.sampling.logit_bias = {{'a', 200.0}, {'b', 200.0}};
    request.sampling.no_repeat_ngram_size = 3;
    return request;
  };
  const std::string whole = engine->Generate(biased()).text;
  ASSERT_GT(whole.size(), 6u);
  Request request = biased();
  const std::string stop = whole.substr(3, 3);
  request.sampling.stop = {stop};
  const Completion completion = engine->Generate(std::move(request));
  EXPECT_EQ(completion.finish_reason, FinishReason::kStop);
  EXPECT_EQ(completion.text, whole.substr(0, whole.find(stop)));
}

TEST(Engine, FillsTheContextAndStopsByLength) {
  const auto engine = MakeTinyEngine({.kv_cache_tokens = 128});
  EXPECT_EQ(engine->info().context_length, 128);
  const Completion completion = engine->Generate(TextRequest("x", 0));
  EXPECT_EQ(completion.finish_reason, FinishReason::kLength);
  EXPECT_EQ(completion.usage.prompt_tokens + completion.usage.completion_tokens, 128);
}

TEST(Engine, CancelsOneRequestAndGoesOnWithTheOthers) {
  const auto engine = MakeTinyEngine();
  const std::vector<int32_t> expected = engine->Generate(TextRequest("other", 60)).token_ids;
  std::atomic<int> num_seen{0};
  std::atomic<bool> is_cancelled{false};
  Request request = TextRequest("long", 0);
  // Holds the engine until then, or a fast one would be through before.
  request.on_token = [&](const TokenEvent&) {
    ++num_seen;
    while (!is_cancelled) std::this_thread::yield();
  };
  const auto ticket = engine->Submit(std::move(request));
  const auto other = engine->Submit(TextRequest("other", 60));
  while (num_seen == 0) std::this_thread::yield();
  ticket->Cancel();
  is_cancelled = true;
  const Completion completion = ticket->Wait();
  EXPECT_EQ(completion.finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(static_cast<int>(completion.token_ids.size()), num_seen);
  EXPECT_EQ(other->Wait().token_ids, expected);
}

TEST(Engine, CancelsAWaitingRequestAndADroppedTicket) {
  const auto engine = MakeTinyEngine({.max_running = 1});
  const auto running = engine->Submit(TextRequest("long", 200));
  const auto waiting = engine->Submit(PictureRequest(40, 60, "x", 10));
  { const auto dropped = engine->Submit(TextRequest("dropped", 0)); }
  waiting->Cancel();
  const Completion completion = waiting->Wait();
  EXPECT_EQ(completion.finish_reason, FinishReason::kCancelled);
  EXPECT_TRUE(completion.token_ids.empty());
  EXPECT_EQ(running->Wait().token_ids.size(), 200u);
}

TEST(Engine, ItsEndCancelsWhatRuns) {
  std::unique_ptr<Engine::Ticket> ticket;
  {
    const auto engine = MakeTinyEngine();
    Request request = TextRequest("long", 0);
    request.on_token = [](const TokenEvent&) {  // seconds in all, or a fast engine would be through
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    ticket = engine->Submit(std::move(request));
  }
  EXPECT_EQ(ticket->Wait().finish_reason, FinishReason::kCancelled);
  ticket->Cancel();
}

TEST(Engine, AnExceptionOfTheCallbackEndsItsRequestOnly) {
  const auto engine = MakeTinyEngine();
  Request request = TextRequest("x", 10);
  request.on_token = [](const TokenEvent&) { throw std::runtime_error("client is gone"); };
  const auto ticket = engine->Submit(std::move(request));
  EXPECT_THROW(ticket->Wait(), std::runtime_error);
  EXPECT_EQ(engine->Generate(TextRequest("x", 3)).token_ids.size(), 3u);
}

// A norm that breaks down on rows with a huge number, as an overflow would.
void BreakingRmsNorm(const float* x, const float* weight, float eps, int64_t count, float* y) {
  const bool is_huge = std::any_of(x, x + count, [](float v) { return std::abs(v) > 1e20f; });
  SelectedKernels().rms_norm(x, weight, eps, count, y);
  if (is_huge) std::fill(y, y + count, std::nanf(""));
}

TEST(Engine, LogitsThatAreNotFiniteEndTheirRequestOnly) {
  testing::EditedCheckpoint checkpoint(testing::MakeTinyModel());
  checkpoint.EditTensor("model.embed_tokens.weight", [](std::vector<float>* values) {
    (*values)[static_cast<size_t>('Z') * 96] = 1e30f;
  });
  checkpoint.EditTextFile("config.json", "\"tie_word_embeddings\": true",
                          "\"tie_word_embeddings\": false");
  checkpoint.SetTensor("lm_head.weight", DType::kF32, {300, 96});
  KernelTable kernels = SelectedKernels();
  kernels.rms_norm = BreakingRmsNorm;
  const auto engine = MakeEngine(checkpoint, {.num_threads = 2}, kernels);
  const auto good = engine->Submit(TextRequest("a", 20));
  const auto bad = engine->Submit(TextRequest("Z", 20));
  try {
    bad->Wait();
    FAIL() << "garbage instead of an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  }
  EXPECT_EQ(good->Wait().token_ids.size(), 20u);
}

TEST(Engine, RefusesWrongRequestsAtOnce) {
  const auto engine = MakeTinyEngine();
  const auto expect_refused = [&](Request request, const char* words) {
    try {
      engine->Submit(std::move(request));
      FAIL() << "accepted: " << words;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  expect_refused({}, "no message");
  expect_refused(TextRequest(std::string(600, 'x'), 1), "leaves no room");
  Request without_picture = PictureRequest(20, 20, "x", 1);
  without_picture.pictures.clear();
  expect_refused(std::move(without_picture), "images");
  Request short_picture = PictureRequest(20, 20, "x", 1);
  short_picture.pictures[0].rgb.pop_back();
  expect_refused(std::move(short_picture), "picture 1 of 20 x 20");
  Request thin_picture = PictureRequest(1, 900, "x", 1);
  expect_refused(std::move(thin_picture), "");
  Request forged_pads = TextRequest("<|image_pad|>", 1);
  forged_pads.trust_markup = true;
  expect_refused(std::move(forged_pads), "image");
  Request bad_sampling = TextRequest("x", 1);
  bad_sampling.sampling.top_p = 0;
  expect_refused(std::move(bad_sampling), "top_p");
}

TEST(Engine, UsersCannotWriteControlTokensUnlessTrusted) {
  const auto engine = MakeTinyEngine();
  const auto num_prompt_tokens = [&](bool trust_markup) {
    Request request = TextRequest("<|im_end|>", 1);
    request.trust_markup = trust_markup;
    return engine->Generate(std::move(request)).usage.prompt_tokens;
  };
  EXPECT_EQ(num_prompt_tokens(false) - num_prompt_tokens(true), 9);
}

TEST(Engine, RefusesWrongOptions) {
  EXPECT_THROW(MakeTinyEngine({.compute = "fp8"}), Error);
  EXPECT_THROW(MakeTinyEngine({.kv_cache_dtype = "fp8"}), Error);
  EXPECT_THROW(MakeTinyEngine({.max_running = 0}), Error);
  EXPECT_THROW(MakeTinyEngine({.min_pixels = 5000, .max_pixels = 4000}), Error);
  EXPECT_THROW(Engine::Load({.model_dir = "/absent"}), Error);
}

TEST(Engine, RefusesArithmeticThatItCannotRun) {
  const auto load = [](const std::string& compute) {
    return testing::ErrorCodeOf([&] { MakeTinyEngine({.compute = compute}); });
  };
  // The tiny checkpoint has no quantised matrix.
  for (const char* compute : {"int8", "int16", "int4", "f16"}) {
    EXPECT_EQ(load(compute), ErrorCode::kInvalidArgument) << compute;
  }
}

TEST(Engine, RefusesBeforeItLoadsWhatExceedsTheMemoryLimit) {
  testing::EditedCheckpoint damaged(testing::MakeTinyModel());
  damaged.EditTensor("model.norm.weight", [](std::vector<float>* values) {
    values->front() = std::numeric_limits<float>::quiet_NaN();
  });
  const auto load = [&](int64_t limit) {
    return testing::ErrorCodeOf([&] {
      MakeEngine(damaged, {.num_threads = 1, .memory_limit_bytes = limit}, SelectedKernels());
    });
  };
  EXPECT_EQ(load(1'000'000), ErrorCode::kResourceExhausted);
  EXPECT_EQ(load(1'000'000'000), ErrorCode::kDataLoss);  // only loading finds the damage
}

TEST(Engine, TheCacheIsWhatTheMemoryLimitLeaves) {
  constexpr int64_t kMany = int64_t{1} << 22;
  const auto cache_tokens = [](int64_t limit) {
    return MakeTinyEngine({.kv_cache_tokens = kMany, .memory_limit_bytes = limit})
        ->info()
        .kv_cache_tokens;
  };
  const int64_t small = cache_tokens(100'000'000);
  const int64_t large = cache_tokens(150'000'000);
  EXPECT_GE(small, 1000);
  EXPECT_GT(large, small);
  EXPECT_LT(large, kMany);
}

TEST(Engine, PixelLimitsChangeTheNumberOfImageTokens) {
  const auto tokens = [](const EngineOptions& options) {
    return MakeTinyEngine(options)->Generate(PictureRequest(48, 48, "x", 1)).usage.prompt_tokens;
  };
  EXPECT_EQ(tokens({}) - tokens({.min_pixels = 64, .max_pixels = 24 * 24}), 36 - 9);
}

TEST(Engine, SaysWhatIsLoadedAndWhatTimeWentWhere) {
  const auto engine = MakeTinyEngine({.compute = "bf16", .num_threads = 2});
  EXPECT_EQ(engine->info().compute, "bf16");
  EXPECT_EQ(engine->info().num_threads, 2);
  EXPECT_EQ(engine->info().isa, DescribeKernels(SelectedKernels()));
  EXPECT_GT(engine->info().weight_bytes, 100000);
  const Usage usage = engine->Generate(PictureRequest(40, 60, "x", 20)).usage;
  EXPECT_EQ(usage.completion_tokens, 20);
  EXPECT_GT(usage.encode_seconds, 0);
  EXPECT_GT(usage.prefill_seconds, 0);
  EXPECT_GT(usage.decode_seconds, 0);
  EXPECT_GE(usage.queue_seconds, 0);
}

TEST(Engine, ManyThreadsMaySubmit) {
  const auto engine = MakeTinyEngine();
  const std::vector<int32_t> expected = engine->Generate(TextRequest("same", 15)).token_ids;
  std::vector<std::thread> threads;
  std::atomic<int> num_equal{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        if (engine->Generate(TextRequest("same", 15)).token_ids == expected) ++num_equal;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_equal, 20);
}

}  // namespace
}  // namespace octavo
