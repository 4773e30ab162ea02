// What the engine's thread allocates, and what happens to requests when that fails. A program of
// its own, because it replaces operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/engine.h"
#include "kernels/select.h"
#include "tests/testing/picture.h"
#include "tests/testing/tiny_model.h"

namespace {

// Counts down on the engine's thread; the allocation that reaches 0 fails, once. Negative: none
// fails.
std::atomic<int> allocations_until_failure{-1};
thread_local bool is_engine_thread = false;
thread_local int64_t num_allocations = 0;

}  // namespace

// Not inlined, or g++ pairs one of them with the library's other and warns.
__attribute__((noinline)) void* operator new(size_t size) {
  ++num_allocations;
  if (is_engine_thread && allocations_until_failure >= 0 && allocations_until_failure-- == 0) {
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t /*size*/) noexcept {
  std::free(memory);
}

namespace octavo {
namespace {

Request PictureRequest(int h, int w) {
  Request request;
  request.messages = {Message::User({Content::Image(), Content::Text("\nText Recognition:")})};
  const Image image = testing::Picture(h, w, 1);
  request.pictures = {{image.width, image.height, image.pixels}};
  request.sampling.max_new_tokens = 40;
  request.sampling.ignore_eos = true;
  return request;
}

TEST(EngineMemory, AFailedAllocationEndsRequestsWithAnErrorAndTheEngineGoesOn) {
  const auto engine = MakeEngine(
      *testing::MakeTinyModel(),
      {.num_threads = 1, .max_running = 3, .max_batch_tokens = 40, .kv_cache_tokens = 320},
      SelectedKernels());
  const Completion expected = engine->Generate(PictureRequest(40, 60));
  int num_failed = 0;
  int num_rounds = 0;
  // Until so many allocations are allowed that none is left to fail.
  for (int countdown = 0; allocations_until_failure < 0; ++countdown, ++num_rounds) {
    std::vector<std::unique_ptr<Engine::Ticket>> tickets;
    // The first token of the first request, on the engine's thread, starts the countdown.
    Request first = PictureRequest(40, 60);
    first.on_token = [countdown, is_first = true](const TokenEvent&) mutable {
      is_engine_thread = true;
      if (is_first) allocations_until_failure = countdown;
      is_first = false;
    };
    tickets.push_back(engine->Submit(std::move(first)));
    for (int i = 0; i < 3; ++i) tickets.push_back(engine->Submit(PictureRequest(40, 60)));
    for (const auto& ticket : tickets) {
      try {
        EXPECT_EQ(ticket->Wait().token_ids, expected.token_ids) << countdown;
      } catch (const std::bad_alloc&) {
        ++num_failed;
      } catch (const Error& error) {  // the model's own word for it
        EXPECT_EQ(error.code(), ErrorCode::kResourceExhausted);
        ++num_failed;
      }
    }
    if (allocations_until_failure < 0) {
      EXPECT_EQ(engine->Generate(PictureRequest(40, 60)).token_ids, expected.token_ids)
          << countdown;
    }
  }
  allocations_until_failure = -1;
  EXPECT_GE(num_rounds, 20);
  EXPECT_GE(num_failed, num_rounds - 1);
}

TEST(EngineMemory, AStepAllocatesNothingButWhatAnAnswerGrowsBy) {
  const auto engine = MakeEngine(*testing::MakeTinyModel(), {.num_threads = 2}, SelectedKernels());
  // Counts on the engine's thread from one token to another.
  Request request = PictureRequest(40, 60);
  request.sampling.max_new_tokens = 200;
  int64_t before = 0;
  int64_t steady = -1;
  request.on_token = [&, num_tokens = 0](const TokenEvent&) mutable {
    ++num_tokens;
    if (num_tokens == 70) before = num_allocations;
    if (num_tokens == 170) steady = num_allocations - before;
  };
  engine->Generate(std::move(request));
  // A hundred steps: tokens, text and blocks double now and then, some characters are long.
  EXPECT_GE(steady, 0);
  EXPECT_LE(steady, 12);
}

}  // namespace
}  // namespace octavo
