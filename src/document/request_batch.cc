#include "document/request_batch.h"

#include <algorithm>
#include <utility>

#include "document/layout_draft.h"
#include "octavo/error.h"

namespace octavo {

RequestBatch::RequestBatch(Engine& engine, Canceller* canceller, bool prune_blank)
    : engine_(engine), canceller_(canceller), prune_blank_(prune_blank) {
  if (canceller_ == nullptr) return;
  handle_ = canceller_->AddAction([this] {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_) {
      if (entry.ticket != nullptr) entry.ticket->Cancel();
    }
  });
}

void ThrowIfAllFailed(const std::vector<BatchAnswer>& answers) {
  const bool all_failed = std::all_of(answers.begin(), answers.end(),
                                      [](const BatchAnswer& a) { return !a.error.empty(); });
  if (answers.empty() || !all_failed) return;
  throw Error(answers.front().error_code, answers.front().error);
}

RequestBatch::~RequestBatch() {
  if (canceller_ != nullptr) canceller_->RemoveAction(handle_);
}

void RequestBatch::Submit(Task task, Image picture, int max_new_tokens, OnText on_text) {
  Request request;
  // The prompts are octavo's own; in some tokenizers they are single tokens.
  request.trust_markup = true;
  request.prune_blank = prune_blank_;
  request.messages = {
      {Message::Role::kSystem, {Content::Text(std::string(SystemPrompt()))}},
      Message::User({Content::Image(), Content::Text(std::string(TaskPrompt(task)))})};
  request.pictures.push_back({picture.width, picture.height, std::move(picture.pixels)});
  request.sampling = TaskSampling(task);
  request.sampling.max_new_tokens = max_new_tokens;
  if (task == Task::kLayout) request.drafting.forced = ForcedLayoutText;
  if (on_text) {
    request.on_token = [on_text = std::move(on_text)](const TokenEvent& event) {
      on_text(event.text);
    };
  }
  Entry entry;
  if (canceller_ == nullptr || !canceller_->cancelled()) {
    try {
      entry.ticket = engine_.Submit(std::move(request));
    } catch (const Error& error) {
      entry.answer.error = error.what();
      entry.answer.error_code = error.code();
    }
  }
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
}

std::vector<BatchAnswer> RequestBatch::WaitAll() {
  std::vector<BatchAnswer> answers;
  for (Entry& entry : entries_) {
    if (canceller_ != nullptr && canceller_->cancelled()) {
      throw Error(ErrorCode::kCancelled, "cancelled");
    }
    if (entry.ticket != nullptr) {
      try {
        Completion completion = entry.ticket->Wait();
        entry.answer.text = std::move(completion.text);
        entry.answer.finish = completion.finish_reason;
        entry.answer.usage = completion.usage;
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kCancelled) throw;
        entry.answer.error = error.what();
        entry.answer.error_code = error.code();
      }
    }
    if (entry.answer.finish == FinishReason::kCancelled) {
      throw Error(ErrorCode::kCancelled, "cancelled");
    }
    answers.push_back(entry.answer);
  }
  return answers;
}

}  // namespace octavo
