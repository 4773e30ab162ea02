// An Engine that answers by script, for tests of what stands above the engine.
#ifndef OCTAVO_TESTS_TESTING_FAKE_ENGINE_H_
#define OCTAVO_TESTS_TESTING_FAKE_ENGINE_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "octavo/engine.h"

namespace octavo {

class FakeEngine : public Engine {
 public:
  struct Answer {
    std::string text;
    FinishReason finish = FinishReason::kStop;
    std::optional<Error> error = {};  // thrown by Wait
    bool hangs = false;               // until cancelled
  };
  // Called by Submit, one at a time.
  using Script = std::function<Answer(const Request&)>;

  explicit FakeEngine(Script script, std::string model_dir = "") : script_(std::move(script)) {
    info_.model_dir = std::move(model_dir);
    info_.context_length = 4096;
  }

  const EngineInfo& info() const override { return info_; }

  std::unique_ptr<Ticket> Submit(Request request) override {
    const std::lock_guard lock(mutex_);
    Answer answer = script_(request);
    // In pieces, as tokens are; what the callback throws is what Wait throws.
    constexpr size_t kPieceBytes = 7;
    for (size_t i = 0; request.on_token && !answer.error && i < answer.text.size();
         i += kPieceBytes) {
      try {
        request.on_token({0, answer.text.substr(i, kPieceBytes)});
      } catch (const Error& error) {
        answer.error = error;
      }
    }
    requests_.push_back(std::move(request));
    return std::make_unique<FakeTicket>(std::move(answer));
  }

  // In the order of Submit. Not while requests are being submitted.
  const std::vector<Request>& requests() const { return requests_; }

  // The text part of a request's last message.
  static std::string PromptOf(const Request& request) {
    for (const Content& content : request.messages.back().contents) {
      if (!content.is_image) return content.text;
    }
    return {};
  }

 private:
  class FakeTicket : public Ticket {
   public:
    explicit FakeTicket(Answer answer) : answer_(std::move(answer)) {}
    Completion Wait() override {
      std::unique_lock lock(mutex_);
      if (answer_.hangs) cancelled_.wait(lock, [&] { return is_cancelled_; });
      if (answer_.error) throw *answer_.error;
      Completion completion;
      completion.text = answer_.text;
      completion.usage.decode_seconds = 0.5;
      completion.finish_reason = answer_.hangs ? FinishReason::kCancelled : answer_.finish;
      return completion;
    }
    void Cancel() override {
      const std::lock_guard lock(mutex_);
      is_cancelled_ = true;
      cancelled_.notify_all();
    }

   private:
    Answer answer_;
    std::mutex mutex_;
    std::condition_variable cancelled_;
    bool is_cancelled_ = false;
  };

  Script script_;
  EngineInfo info_;
  std::mutex mutex_;
  std::vector<Request> requests_;
};

}  // namespace octavo

#endif  // OCTAVO_TESTS_TESTING_FAKE_ENGINE_H_
