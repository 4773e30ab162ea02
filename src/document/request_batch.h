// Requests of one page that are in flight together and are waited for, or cancelled, as one.
#ifndef OCTAVO_DOCUMENT_REQUEST_BATCH_H_
#define OCTAVO_DOCUMENT_REQUEST_BATCH_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/prompts.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "vision/image.h"

namespace octavo {

// What became of one request.
struct BatchAnswer {
  std::string text;
  FinishReason finish = FinishReason::kStop;
  Usage usage;
  std::string error;                                   // the request's Error; empty: none
  ErrorCode error_code = ErrorCode::kInvalidArgument;  // of `error`
};

// Throws the first answer's Error when there are answers and every one of them failed: then nothing
// was read, which must not look like an empty page.
void ThrowIfAllFailed(const std::vector<BatchAnswer>& answers);

// Used by one thread; cancelled from any.
class RequestBatch {
 public:
  // canceller may be null. Both outlive the batch. prune_blank: as Request has it, for all.
  RequestBatch(Engine& engine, Canceller* canceller, bool prune_blank = false);
  ~RequestBatch();
  RequestBatch(const RequestBatch&) = delete;
  RequestBatch& operator=(const RequestBatch&) = delete;

  // Called on the engine's thread with what was written next. What it throws ends the request and
  // is the answer's error. It may be called until the batch is gone, and once more.
  using OnText = std::function<void(std::string_view)>;

  // A picture with the prompt and sampling of a task. max_new_tokens: 0 for no cap. A request that
  // the engine refuses has an answer with its error.
  void Submit(Task task, Image picture, int max_new_tokens = 0, OnText on_text = {});

  // The answers in the order of Submit. Throws kCancelled.
  std::vector<BatchAnswer> WaitAll();

 private:
  struct Entry {
    std::unique_ptr<Engine::Ticket> ticket;  // null: refused
    BatchAnswer answer;
  };

  Engine& engine_;
  Canceller* canceller_;
  const bool prune_blank_;
  int handle_ = 0;
  std::mutex mutex_;  // guards entries_ against the canceller
  std::vector<Entry> entries_;
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_REQUEST_BATCH_H_
