// What requests owe to each other: quick ones are not held up, cancelled ones leave no trace.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/test_support.h"
#include "tests/testing/process_time.h"

namespace octavo {
namespace {

using testing::MakeTinyEngine;
using testing::PictureRequest;
using testing::ProcessSeconds;
using testing::TextRequest;

// So short that a picture takes many turns of the loop, and a prompt several.
constexpr double kShortTurn = 1e-6;

// Holds the engine's thread in the callback of a request of its own until it is opened, so that all
// that is submitted meanwhile arrives at once, in order.
class Gate {
 public:
  explicit Gate(Engine* engine) {
    Request request = TextRequest("gate", 1);
    request.on_token = [this](const TokenEvent&) {
      std::unique_lock lock(mutex_);
      is_held_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_open_; });
    };
    ticket_ = engine->Submit(std::move(request));
    // Only then: what is submitted while the first step is being planned would share that step.
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_held_; });
  }
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
    }
    changed_.notify_all();
    ticket_->Wait();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_held_ = false;  // the engine waits in the callback
  bool is_open_ = false;
  std::unique_ptr<Engine::Ticket> ticket_;
};

// While the page's picture is encoded, and while its prompt is computed.
TEST(EngineCompany, AQuickQuestionIsAnsweredBeforeALongPage) {
  for (const bool has_picture : {true, false}) {
    const auto engine = MakeTinyEngine({}, kShortTurn);
    std::atomic<int> num_answered{0}, page_place{0}, question_place{0};
    Request page = PictureRequest(48, 48, std::string(400, 'p'), 1);
    page.on_token = [&](const TokenEvent&) { page_place = ++num_answered; };
    Request question = has_picture ? PictureRequest(16, 16, "q", 1) : TextRequest("q", 1);
    question.on_token = [&](const TokenEvent&) { question_place = ++num_answered; };
    Gate gate(engine.get());
    const auto first = engine->Submit(std::move(page));
    const auto second = engine->Submit(std::move(question));
    gate.Open();
    second->Wait();
    first->Wait();
    EXPECT_EQ(question_place, 1) << has_picture;
    EXPECT_EQ(page_place, 2) << has_picture;
  }
}

// The neighbours' answers, alone in an engine each.
std::vector<std::vector<int32_t>> QuietAnswers(const std::vector<Request>& requests) {
  std::vector<std::vector<int32_t>> answers;
  for (const Request& request : requests) {
    answers.push_back(MakeTinyEngine()->Generate(Request(request)).token_ids);
  }
  return answers;
}

// Twenty moments: in the queue, while it is encoded, in its prompt, in its answer.
TEST(EngineCompany, ARequestThatIsCancelledAtAnyMomentLeavesItsNeighboursAlone) {
  const std::vector<Request> requests = {PictureRequest(40, 48, "neighbour", 60, 7),
                                         TextRequest("another neighbour", 60)};
  const std::vector<std::vector<int32_t>> quiet = QuietAnswers(requests);
  Random random(3);
  int num_empty = 0;
  for (const int max_running : {2, 3}) {  // two: it has to wait
    EngineOptions options;
    options.max_running = max_running;
    options.prefix_cache_tokens = 512;
    options.encoder_cache_tokens = 512;
    const auto engine = MakeTinyEngine(options, kShortTurn);
    for (int round = 0; round < (max_running == 2 ? 4 : 16); ++round) {
      Gate gate(engine.get());
      std::unique_ptr<Engine::Ticket> ticket;
      // Told by the tokens of a neighbour, or, in every second round, by those of its own answer;
      // counted on the engine's thread.
      int num_tokens = 0;
      const auto moment = static_cast<int>(1 + random.Below(50));
      const auto cancel_at_moment = [&](const TokenEvent&) {
        if (++num_tokens == moment) ticket->Cancel();
      };
      const bool by_own_tokens = max_running == 3 && round % 2 == 1;
      std::vector<std::unique_ptr<Engine::Ticket>> neighbours;
      for (Request request : requests) {
        if (neighbours.empty() && !by_own_tokens) request.on_token = cancel_at_moment;
        neighbours.push_back(engine->Submit(std::move(request)));
      }
      Request cancelled =
          PictureRequest(48, 48, std::string(round % 4 * 60u, 'c'), 400, 10 + round);
      if (by_own_tokens) cancelled.on_token = cancel_at_moment;
      ticket = engine->Submit(std::move(cancelled));
      gate.Open();
      const Completion completion = ticket->Wait();
      EXPECT_EQ(completion.finish_reason, FinishReason::kCancelled) << "round " << round;
      num_empty += completion.token_ids.empty() ? 1 : 0;
      for (size_t i = 0; i < neighbours.size(); ++i) {
        EXPECT_EQ(neighbours[i]->Wait().token_ids, quiet[i]) << "round " << round;
      }
    }
    // Nothing goes on, and the whole cache can be had again.
    const double before = ProcessSeconds();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    EXPECT_LT(ProcessSeconds() - before, 0.1);
    const Completion all = engine->Generate(TextRequest("x", 0));
    EXPECT_EQ(all.usage.prompt_tokens + all.usage.completion_tokens, engine->info().context_length);
  }
  EXPECT_GE(num_empty, 4) << "those in the queue";
  EXPECT_LE(num_empty, 12) << "eight had begun their answer";
}

// More than the cache holds together: all are answered, as alone.
TEST(EngineCompany, RequestsWaitForCacheInsteadOfFailing) {
  EngineOptions options;
  options.kv_cache_tokens = 256;
  const auto engine = MakeTinyEngine(options);
  std::vector<std::vector<int32_t>> alone;
  for (int i = 0; i < 6; ++i) {
    alone.push_back(engine->Generate(TextRequest(std::string(40, 'a'), 60 + i)).token_ids);
  }
  std::vector<std::unique_ptr<Engine::Ticket>> tickets;
  for (int i = 0; i < 6; ++i) {
    tickets.push_back(engine->Submit(TextRequest(std::string(40, 'a'), 60 + i)));
  }
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(tickets[i]->Wait().token_ids, alone[i]);
}

}  // namespace
}  // namespace octavo
