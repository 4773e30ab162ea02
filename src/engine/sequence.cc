#include "engine/sequence.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/str_cat.h"
#include "engine/sampler.h"

namespace octavo {
namespace {

double SecondsBetween(std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

Sequence::Sequence(SequenceRequest request, const SequenceContext& context)
    : request_(std::move(request)),
      context_(context),
      num_prompt_tokens_(static_cast<int64_t>(request_.prompt_ids.size())),
      token_ids_(request_.prompt_ids),
      embeddings_(request_.images.size()),
      processors_(request_.sampling, request_.prompt_ids, context.num_tokens),
      random_(request_.sampling.seed),
      detokenizer_(*context.tokenizer, request_.sampling.skip_special_tokens),
      stop_checker_(request_.sampling, *context.end_ids, request_.max_new_tokens),
      drafter_(std::move(request_.drafting), context.tokenizer),
      submitted_(Clock::now()) {
  OCTAVO_CHECK(num_prompt_tokens_ > 0 && request_.max_new_tokens > 0);
  usage_.prompt_tokens = num_prompt_tokens_;
}

void Sequence::MarkAdmitted() {
  if (admitted_ != Clock::time_point()) return;  // preempted before
  admitted_ = ready_ = Clock::now();
  usage_.queue_seconds = SecondsBetween(submitted_, admitted_);
}

void Sequence::MarkCached(int64_t count) {
  OCTAVO_DCHECK(num_computed_ == 0 && count < num_tokens());
  num_computed_ = count;
  const bool is_first = admitted_ == Clock::time_point();
  if (is_first) usage_.cached_tokens = std::min(count, num_prompt_tokens_);
}

const BlockKey& Sequence::KeyOfBlock(size_t index) {
  OCTAVO_DCHECK((index + 1) * kKvBlockSize <= token_ids_.size());
  std::vector<std::byte> named;
  const auto add = [&](const auto& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    named.insert(named.end(), bytes.begin(), bytes.end());
  };
  while (block_keys_.size() <= index) {
    const size_t begin = block_keys_.size() * kKvBlockSize;
    const size_t end = begin + kKvBlockSize;
    named.clear();
    if (!block_keys_.empty()) add(block_keys_.back());
    for (size_t i = begin; i < end; ++i) add(token_ids_[i]);
    for (const PromptImage& image : request_.images) {
      const bool is_inside = image.first_token < static_cast<int64_t>(end) &&
                             image.end_token() > static_cast<int64_t>(begin);
      if (is_inside) add(image.digest);
    }
    block_keys_.push_back(Xxh128(named, context_.hash_seed));
  }
  return block_keys_[index];
}

size_t Sequence::NextImage() const {
  size_t i = 0;
  while (i < embeddings_.size() &&
         (embeddings_[i] != nullptr || request_.images[i].end_token() <= num_computed_)) {
    ++i;
  }
  return i;
}

double Sequence::AdvanceEncoding(Model* model, const PreprocessorConfig& preprocessor,
                                 EncoderCache* cache, double budget_flops) {
  const Clock::time_point begin = Clock::now();
  const size_t next = NextImage();
  PromptImage& image = request_.images[next];
  // What was begun may have been found in the cache since.
  if (encoding_image_ != next) encoding_.reset();
  encoding_image_ = next;
  if (encoding_ == nullptr) {
    embeddings_[next] = cache->Find(image.digest);
    if (embeddings_[next] != nullptr) {
      image.pixels = {};
      ready_ = Clock::now();
      return 0;
    }
    encoding_ = model->StartVisionEncoding(
        CutPatches(image.pixels, preprocessor, NormalizeRule::kFast, image.cells));
  }
  const double share_before = encoding_->progress();
  const bool is_done = encoding_->Advance(budget_flops);
  const double flops = (encoding_->progress() - share_before) * encoding_->total_flops();
  if (is_done) {
    embeddings_[next] = std::make_shared<const ImageEmbeddings>(encoding_->TakeEmbeddings());
    encoding_.reset();
    image.pixels = {};
    cache->Add(image.digest, embeddings_[next]);
  }
  ready_ = Clock::now();
  usage_.encode_seconds += SecondsBetween(begin, ready_);
  return flops;
}

const float* Sequence::ImageRow(int64_t token) const {
  for (size_t i = 0; i < request_.images.size(); ++i) {
    const PromptImage& image = request_.images[i];
    const int64_t row = token - image.first_token;
    if (row >= 0 && row < image.num_tokens) {
      return embeddings_[i]->values.data() + row * context_.hidden_size;
    }
  }
  return nullptr;
}

int64_t Sequence::Draft(int64_t most) {
  OCTAVO_DCHECK(is_decoding());
  draft_.clear();
  // The step itself chooses one more token than were drafted.
  const int64_t num_left = request_.max_new_tokens - (num_tokens() - num_prompt_tokens_);
  most = std::min(most, num_left - 1);
  if (most <= 0) return 0;
  try {
    drafter_.Draft(token_ids_, text_, static_cast<size_t>(most), &draft_);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    draft_failure_ = std::current_exception();
    draft_.clear();
  }
  return std::ssize(draft_);
}

void Sequence::EndStep(int64_t num_drafted, int64_t num_accepted) {
  ++usage_.decode_steps;
  usage_.drafted_tokens += num_drafted;
  usage_.accepted_tokens += num_accepted;
  drafter_.Learn(num_drafted, num_accepted);
}

void Sequence::AppendTo(ForwardBatch* batch, int64_t count, int64_t num_drafted) const {
  OCTAVO_DCHECK(count > 0 && count <= num_remaining() && !has_images_to_encode());
  OCTAVO_DCHECK(num_drafted == 0 ||
                (count == num_remaining() && num_drafted <= std::ssize(draft_)));
  for (int64_t i = num_computed_; i < num_computed_ + count + num_drafted; ++i) {
    const auto index = static_cast<size_t>(i);
    const bool in_prompt = i < num_prompt_tokens_;
    batch->token_ids.push_back(i < num_tokens() ? token_ids_[index]
                                                : draft_[index - token_ids_.size()]);
    batch->image_rows.push_back(in_prompt ? ImageRow(i) : nullptr);
    for (size_t axis = 0; axis < 3; ++axis) {
      batch->positions[axis].push_back(in_prompt
                                           ? request_.positions.streams[axis][index]
                                           : static_cast<int32_t>(i) + request_.positions.delta);
    }
  }
  batch->sequences.push_back({.block_table = block_table_,
                              .num_cached = num_computed_,
                              .num_new = count + num_drafted,
                              .wants_logits = count == num_remaining(),
                              .num_drafted = num_drafted});
}

bool Sequence::AcceptLogits(std::span<float> logits) {
  if (draft_failure_) std::rethrow_exception(draft_failure_);
  const int64_t num_generated = num_tokens() - num_prompt_tokens_ + 1;
  if (!AllFinite(logits)) {
    throw Error(ErrorCode::kDataLoss, StrCat("the model's logits for generated token ",
                                             num_generated, " are not finite"));
  }
  processors_.Apply(logits);
  TokenEvent event;
  event.id = Sample(logits, request_.sampling, &random_);
  token_ids_.push_back(event.id);
  processors_.Append(event.id);
  drafter_.Append(event.id);
  if (num_generated == 1) {
    first_token_ = Clock::now();
    usage_.prefill_seconds = SecondsBetween(ready_, first_token_);
  }

  StopStringFilter& filter = stop_checker_.filter();
  if (!stop_checker_.IsEndToken(event.id)) {
    event.text = filter.Append(detokenizer_.Append(event.id));
  }
  const std::optional<FinishReason> reason = stop_checker_.Check(event.id, num_generated);
  if (reason) {
    // Held back until now; the detokenizer's rest may complete a stop string or be cut by one.
    event.text += filter.Append(detokenizer_.Finish());
    event.text += filter.Finish();
    finish_reason_ = filter.found() ? FinishReason::kStop : *reason;
  }
  text_ += event.text;
  if (request_.on_token) request_.on_token(event);
  return reason.has_value();
}

void Sequence::Finish(FinishReason reason) {
  if (reason == FinishReason::kCancelled) {
    StopStringFilter& filter = stop_checker_.filter();
    text_ += filter.Append(detokenizer_.Finish());
    text_ += filter.Finish();
  }
  Completion completion;
  completion.text = std::move(text_);
  completion.token_ids.assign(token_ids_.begin() + num_prompt_tokens_, token_ids_.end());
  completion.finish_reason = reason;
  usage_.completion_tokens = static_cast<int64_t>(completion.token_ids.size());
  if (usage_.completion_tokens > 0) {
    usage_.decode_seconds = SecondsBetween(first_token_, Clock::now());
  }
  completion.usage = usage_;
  request_.outcome->promise.set_value(std::move(completion));
}

void Sequence::Fail(std::exception_ptr error) {
  request_.outcome->promise.set_exception(std::move(error));
}

}  // namespace octavo
