#include "engine/engine_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace octavo {
namespace {

// Speeds before anything was measured: low, so that the first turns are short.
constexpr double kFirstFlopsPerSecond = 1e10;
constexpr double kFirstTokensPerSecond = 160;
// Fewer tokens than this make poor use of the weights and a poor measurement.
constexpr int64_t kMinChunk = 32;

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Follows a measured speed, half way at a time.
void Follow(double* speed, double amount, double seconds) {
  if (seconds > 0) *speed = 0.5 * *speed + 0.5 * amount / seconds;
}

}  // namespace

void Doorbell::Ring() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_rung_ = true;
  rung_changed_.notify_one();
}

void Doorbell::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  rung_changed_.wait(lock, [this] { return is_rung_; });
  is_rung_ = false;
}

EngineLoop::EngineLoop(Model* model, KvCache* cache, const PreprocessorConfig& preprocessor,
                       const SequenceContext& context, const Options& options)
    : model_(model),
      cache_(cache),
      preprocessor_(preprocessor),
      context_(context),
      options_(options),
      scheduler_(cache->capacity_blocks(), options.max_running,
                 static_cast<int>(std::min<int64_t>(options.prefix_cache_tokens / kKvBlockSize,
                                                    cache->capacity_blocks())),
                 [this](int32_t block) { is_block_freed_[static_cast<size_t>(block)] = true; }),
      encoder_cache_(options.encoder_cache_tokens),
      is_block_freed_(static_cast<size_t>(cache->capacity_blocks())),
      logits_(static_cast<size_t>(options.max_running + options.max_drafted) *
              static_cast<size_t>(model->config().text.vocab_size)),
      encode_flops_per_second_(kFirstFlopsPerSecond),
      prefill_tokens_per_second_(kFirstTokensPerSecond),
      thread_([this] { Run(); }) {}

EngineLoop::~EngineLoop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  doorbell_->Ring();
  thread_.join();
}

void EngineLoop::Submit(SequenceRequest request) {
  Scheduler::Queue one;
  one.push_back(std::make_unique<Sequence>(std::move(request), context_));
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    submitted_.splice(submitted_.end(), one);
  }
  doorbell_->Ring();
}

void EngineLoop::Run() {
  bool goes_on = true;
  while (goes_on) {
    try {
      goes_on = Turn();
    } catch (...) {
      FailAll(std::current_exception());
    }
  }
}

bool EngineLoop::Turn() {
  TakeSubmitted();
  DropCancelled();
  if (scheduler_.is_idle()) {
    DiscardFreedBlocks();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (is_stopping_ && submitted_.empty()) return false;
    }
    doorbell_->Wait();
    return true;
  }
  scheduler_.Admit();
  EncodeSlice();
  RunStep();
  return true;
}

void EngineLoop::TakeSubmitted() {
  Scheduler::Queue submitted;
  bool is_stopping = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    submitted.swap(submitted_);
    is_stopping = is_stopping_;
  }
  scheduler_.Add(&submitted);
  if (!is_stopping) return;
  for (const auto& sequence : scheduler_.running()) sequence->Cancel();
  for (const auto& sequence : scheduler_.waiting()) sequence->Cancel();
}

void EngineLoop::DropCancelled() {
  std::vector<Sequence*> cancelled;
  for (const auto& sequence : scheduler_.running()) {
    if (sequence->is_cancelled()) cancelled.push_back(sequence.get());
  }
  for (const auto& sequence : scheduler_.waiting()) {
    if (sequence->is_cancelled()) cancelled.push_back(sequence.get());
  }
  for (Sequence* sequence : cancelled) {
    scheduler_.Remove(sequence)->Finish(FinishReason::kCancelled);
  }
}

// Short while somebody waits for the next token; longer, for better use of each weight that is
// read, while nobody does.
double EngineLoop::TurnSeconds() const {
  const bool is_shared = std::any_of(scheduler_.running().begin(), scheduler_.running().end(),
                                     [](const auto& sequence) { return sequence->is_decoding(); });
  return is_shared ? options_.turn_seconds / 2 : options_.turn_seconds;
}

void EngineLoop::EncodeSlice() {
  Sequence* const sequence = scheduler_.NextToEncode();
  if (sequence == nullptr) return;
  const double budget = encode_flops_per_second_ * TurnSeconds();
  const auto begin = std::chrono::steady_clock::now();
  try {
    const double flops = sequence->AdvanceEncoding(model_, preprocessor_, &encoder_cache_, budget);
    if (flops > 0) Follow(&encode_flops_per_second_, flops, SecondsSince(begin));
  } catch (...) {
    Fail(sequence, std::current_exception());
  }
}

void EngineLoop::RunStep() {
  const auto chunk = static_cast<int64_t>(std::min(prefill_tokens_per_second_ * TurnSeconds(),
                                                   static_cast<double>(options_.max_batch_tokens)));
  const std::vector<Scheduler::Item>& plan = scheduler_.PlanStep(
      options_.max_batch_tokens, std::max(chunk, kMinChunk), options_.max_drafted);
  if (plan.empty()) return;

  batch_.token_ids.clear();
  batch_.image_rows.clear();
  batch_.sequences.clear();
  for (auto& stream : batch_.positions) stream.clear();
  int64_t num_wanted = 0;
  for (const Scheduler::Item& item : plan) {
    item.sequence->AppendTo(&batch_, item.num_new, item.num_drafted);
    if (batch_.sequences.back().wants_logits) num_wanted += 1 + item.num_drafted;
  }
  const FloatMatrix logits(logits_.data(), num_wanted, model_->config().text.vocab_size);
  const auto begin = std::chrono::steady_clock::now();
  model_->Forward(batch_, *cache_, logits);
  const auto num_tokens = static_cast<int64_t>(batch_.token_ids.size());
  if (num_tokens >= kMinChunk) {
    Follow(&prefill_tokens_per_second_, static_cast<double>(num_tokens), SecondsSince(begin));
  }
  AcceptStep(plan);
}

void EngineLoop::AcceptStep(const std::vector<Scheduler::Item>& plan) {
  const auto vocab_size = static_cast<size_t>(model_->config().text.vocab_size);
  float* logits = logits_.data();
  for (size_t i = 0; i < plan.size(); ++i) {
    Sequence* const sequence = plan[i].sequence;
    scheduler_.MarkComputed(plan[i]);
    if (!batch_.sequences[i].wants_logits) continue;
    float* const rows = logits;
    logits += static_cast<size_t>(1 + plan[i].num_drafted) * vocab_size;
    try {
      if (!AcceptRows(plan[i], rows)) continue;
    } catch (...) {
      Fail(sequence, std::current_exception());
      continue;
    }
    const std::unique_ptr<Sequence> finished = scheduler_.Remove(sequence);
    try {
      finished->Finish(finished->finish_reason());
    } catch (...) {
      finished->Fail(std::current_exception());
    }
  }
}

bool EngineLoop::AcceptRows(const Scheduler::Item& item, float* logits) {
  const auto vocab_size = static_cast<size_t>(model_->config().text.vocab_size);
  int64_t num_accepted = 0;
  bool is_finished = item.sequence->AcceptLogits({logits, vocab_size});
  while (!is_finished && num_accepted < item.num_drafted &&
         item.sequence->FollowsDraft(num_accepted)) {
    scheduler_.MarkComputed({item.sequence, 1});
    ++num_accepted;
    logits += vocab_size;
    is_finished = item.sequence->AcceptLogits({logits, vocab_size});
  }
  item.sequence->EndStep(item.num_drafted, num_accepted);
  scheduler_.FreeUnused(item.sequence);
  return is_finished;
}

void EngineLoop::Fail(Sequence* sequence, std::exception_ptr error) {
  scheduler_.Remove(sequence)->Fail(std::move(error));
}

void EngineLoop::FailAll(const std::exception_ptr& error) {
  for (const Scheduler::Queue* queue : {&scheduler_.running(), &scheduler_.waiting()}) {
    while (!queue->empty()) Fail(queue->front().get(), error);
  }
}

void EngineLoop::DiscardFreedBlocks() {
  for (size_t block = 0; block < is_block_freed_.size(); ++block) {
    // It may have been handed out again, and be kept.
    if (!is_block_freed_[block] || !scheduler_.is_free(static_cast<int32_t>(block))) continue;
    cache_->Discard(static_cast<int32_t>(block));
    is_block_freed_[block] = false;
  }
}

}  // namespace octavo
