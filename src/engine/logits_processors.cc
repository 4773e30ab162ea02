#include "engine/logits_processors.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace octavo {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// FNV-1a over the ids; equal hashes are compared id by id.
uint64_t HashIds(std::span<const int32_t> ids) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const int32_t id : ids) {
    hash = (hash ^ static_cast<uint32_t>(id)) * 0x100000001B3u;
  }
  return hash;
}

}  // namespace

LogitsProcessors::LogitsProcessors(const SamplingParams& params,
                                   std::span<const int32_t> prompt_ids, int32_t num_tokens)
    : ngram_size_(static_cast<size_t>(params.no_repeat_ngram_size)),
      repetition_penalty_(static_cast<float>(params.repetition_penalty)),
      frequency_penalty_(static_cast<float>(params.frequency_penalty)),
      presence_penalty_(static_cast<float>(params.presence_penalty)),
      num_tokens_(num_tokens) {
  for (const auto& [id, bias] : params.logit_bias) {
    logit_bias_.emplace_back(id, static_cast<float>(bias));
  }
  if (repetition_penalty_ != 1.0f) seen_.insert(prompt_ids.begin(), prompt_ids.end());
}

void LogitsProcessors::Append(int32_t id) {
  if (repetition_penalty_ != 1.0f) seen_.insert(id);
  if (frequency_penalty_ != 0 || presence_penalty_ != 0) ++counts_[id];
  if (ngram_size_ == 0) return;
  output_ids_.push_back(id);
  if (output_ids_.size() < ngram_size_) return;
  const size_t begin = output_ids_.size() - ngram_size_;
  const std::span<const int32_t> run(output_ids_.data() + begin, ngram_size_ - 1);
  runs_[HashIds(run)].push_back(begin);
}

void LogitsProcessors::Apply(std::span<float> logits) const {
  for (const auto& [id, bias] : logit_bias_) logits[static_cast<size_t>(id)] += bias;
  if (ngram_size_ > 0) BanRepeatedNgrams(logits);
  ApplyPenalties(logits);
  for (size_t id = static_cast<size_t>(num_tokens_); id < logits.size(); ++id) logits[id] = kNever;
}

void LogitsProcessors::BanRepeatedNgrams(std::span<float> logits) const {
  if (output_ids_.size() < ngram_size_) return;
  const size_t length = ngram_size_ - 1;
  const std::span<const int32_t> tail(output_ids_.data() + output_ids_.size() - length, length);
  const auto found = runs_.find(HashIds(tail));
  if (found == runs_.end()) return;
  for (const size_t begin : found->second) {
    const int32_t* run = output_ids_.data() + begin;
    if (!std::equal(tail.begin(), tail.end(), run)) continue;
    logits[static_cast<size_t>(run[length])] = kNever;
  }
}

void LogitsProcessors::ApplyPenalties(std::span<float> logits) const {
  for (const int32_t id : seen_) {
    float& x = logits[static_cast<size_t>(id)];
    x = x > 0 ? x / repetition_penalty_ : x * repetition_penalty_;
  }
  if (frequency_penalty_ == 0 && presence_penalty_ == 0) return;
  for (const auto& [id, count] : counts_) {
    float& x = logits[static_cast<size_t>(id)];
    x -= frequency_penalty_ * static_cast<float>(count);
    x -= presence_penalty_;
  }
}

}  // namespace octavo
