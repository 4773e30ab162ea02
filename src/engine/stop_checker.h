// StopChecker: when a sequence ends, and what of its text may already be shown.
#ifndef OCTAVO_ENGINE_STOP_CHECKER_H_
#define OCTAVO_ENGINE_STOP_CHECKER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "octavo/engine.h"

namespace octavo {

// Lets text through up to the first stop string, holding back what could be the beginning of one.
// Strings are found across any division into pieces. One thread at a time.
class StopStringFilter {
 public:
  explicit StopStringFilter(std::vector<std::string> stop) : stop_(std::move(stop)) {}

  // The text that is certain by now. Nothing more comes once a stop string was found.
  std::string Append(std::string_view text);
  // What is still held back; at the end without a stop string.
  std::string Finish();
  bool found() const { return found_; }

 private:
  std::vector<std::string> stop_;
  std::string held_;
  bool found_ = false;
};

class StopChecker {
 public:
  // end_ids: the model's. max_new_tokens >= 1.
  StopChecker(const SamplingParams& params, const std::vector<int32_t>& end_ids,
              int64_t max_new_tokens);

  // Ends the sequence and is no part of its text.
  bool IsEndToken(int32_t id) const { return end_ids_.count(id) != 0; }

  // After `num_generated` tokens, the last of which is `id`; nullopt: goes on. An end token or a
  // stop string found by `filter` is kStop even where the length ends, too.
  std::optional<FinishReason> Check(int32_t id, int64_t num_generated) const;

  StopStringFilter& filter() { return filter_; }

 private:
  std::unordered_set<int32_t> end_ids_;
  int64_t max_new_tokens_;
  StopStringFilter filter_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_STOP_CHECKER_H_
