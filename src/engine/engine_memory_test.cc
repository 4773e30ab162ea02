// What happens to requests when an allocation on the engine's thread fails. A program of its own,
// because it replaces operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "engine/engine.h"
#include "kernels/select.h"
#include "tests/testing/picture.h"
#include "tests/testing/tiny_model.h"

namespace {

// Counts down on this thread; the allocation that reaches 0 fails, once. Negative: none fails.
thread_local int allocations_until_failure = -1;

}  // namespace

// Not inlined, or g++ pairs one of them with the library's other and warns.
__attribute__((noinline)) void* operator new(size_t size) {
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) throw std::bad_alloc();
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
  for (int countdown = 0; countdown < 60; ++countdown) {
    std::vector<std::unique_ptr<Engine::Ticket>> tickets;
    // The first token of the first request, on the engine's thread, starts the countdown.
    Request first = PictureRequest(40, 60);
    first.on_token = [countdown, is_first = true](const TokenEvent&) mutable {
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
      }
    }
    EXPECT_EQ(engine->Generate(PictureRequest(40, 60)).token_ids, expected.token_ids) << countdown;
  }
  EXPECT_GE(num_failed, 60);  // each countdown ran out
}

}  // namespace
}  // namespace octavo
