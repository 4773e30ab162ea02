#include "engine/stop_checker.h"

#include <algorithm>
#include <utility>

namespace octavo {

std::string StopStringFilter::Append(std::string_view text) {
  if (found_) return {};
  held_ += text;
  size_t first = std::string::npos;
  for (const std::string& stop : stop_) first = std::min(first, held_.find(stop));
  if (first != std::string::npos) {
    found_ = true;
    std::string certain = held_.substr(0, first);
    held_.clear();
    return certain;
  }
  // The longest end of the text that begins a stop string stays.
  size_t keep = 0;
  for (const std::string& stop : stop_) {
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n) {
      if (held_.compare(held_.size() - n, n, stop, 0, n) == 0) keep = n;
    }
  }
  std::string certain = held_.substr(0, held_.size() - keep);
  held_.erase(0, certain.size());
  return certain;
}

std::string StopStringFilter::Finish() { return std::exchange(held_, {}); }

StopChecker::StopChecker(const SamplingParams& params, const std::vector<int32_t>& end_ids,
                         int64_t max_new_tokens)
    : end_ids_(params.stop_token_ids.begin(), params.stop_token_ids.end()),
      max_new_tokens_(max_new_tokens),
      filter_(params.stop) {
  if (!params.ignore_eos) end_ids_.insert(end_ids.begin(), end_ids.end());
}

std::optional<FinishReason> StopChecker::Check(int32_t id, int64_t num_generated) const {
  if (IsEndToken(id) || filter_.found()) return FinishReason::kStop;
  if (num_generated >= max_new_tokens_) return FinishReason::kLength;
  return std::nullopt;
}

}  // namespace octavo
