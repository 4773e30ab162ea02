#include "engine/drafter.h"

#include <algorithm>
#include <utility>

namespace octavo {
namespace {

constexpr size_t kMaxLength = kMaxDrafted;
constexpr int64_t kMaxPause = 16;
// Ids of the expected answer behind the place where it was left, among which the answer may have
// come back to it.
constexpr size_t kWindow = 256;

}  // namespace

Drafter::Drafter(DraftingPlan plan, const Tokenizer* tokenizer)
    : plan_(std::move(plan)), tokenizer_(tokenizer) {
  forced_trust_.length = kMaxLength;
}

void Drafter::Append(int32_t id) {
  const int32_t previous = std::exchange(previous_id_, id);
  const std::vector<int32_t>& expected = plan_.expected;
  if (expected.empty()) return;
  if (next_expected_ < expected.size() && expected[next_expected_] == id) {
    ++next_expected_;
    is_lost_ = false;
    return;
  }
  if (!is_lost_) {
    // One token may stand for another.
    is_lost_ = true;
    ++next_expected_;
    return;
  }
  // Ahead, or a little behind: tokens may be missing on either side.
  constexpr size_t kBack = 8;
  const size_t begin = next_expected_ > kBack ? next_expected_ - kBack : 0;
  const size_t end = std::min(expected.size(), next_expected_ + kWindow);
  for (size_t i = begin; i + 1 < end; ++i) {
    if (expected[i] != previous || expected[i + 1] != id) continue;
    next_expected_ = i + 2;
    is_lost_ = false;
    return;
  }
}

void Drafter::Draft(std::span<const int32_t> ids, std::string_view answer, size_t most,
                    std::vector<int32_t>* draft) {
  used_ = nullptr;
  const auto wants = [](Trust* trust) { return trust->pause == 0 || --trust->pause == 0; };
  const auto is_made = [&](Trust* trust) {
    used_ = draft->empty() ? nullptr : trust;
    return used_ != nullptr;
  };
  if (plan_.forced && wants(&forced_trust_)) {
    DraftForced(answer, std::min(most, forced_trust_.length), draft);
    if (is_made(&forced_trust_)) return;
  }
  if (!wants(&trust_)) return;
  most = std::min(most, trust_.length);
  DraftExpected(most, draft);
  if (!is_made(&trust_)) {
    DraftRepeated(ids, most, draft);
    is_made(&trust_);
  }
}

void Drafter::DraftForced(std::string_view answer, size_t most, std::vector<int32_t>* draft) const {
  const std::string text = plan_.forced(answer);
  if (text.empty()) return;
  std::vector<int32_t> ids = tokenizer_->Encode(text);
  if (ids.size() > most) ids.resize(most);
  draft->insert(draft->end(), ids.begin(), ids.end());
}

void Drafter::DraftExpected(size_t most, std::vector<int32_t>* draft) const {
  if (is_lost_ || next_expected_ >= plan_.expected.size()) return;
  const size_t count = std::min(most, plan_.expected.size() - next_expected_);
  const auto begin = plan_.expected.begin() + static_cast<ptrdiff_t>(next_expected_);
  draft->insert(draft->end(), begin, begin + static_cast<ptrdiff_t>(count));
}

void Drafter::DraftRepeated(std::span<const int32_t> ids, size_t most,
                            std::vector<int32_t>* draft) const {
  const auto size = static_cast<size_t>(plan_.ngram_size);
  if (size == 0 || ids.size() <= size) return;
  const std::span<const int32_t> tail = ids.last(size);
  for (size_t end = ids.size() - 1; end >= size; --end) {
    if (!std::equal(tail.begin(), tail.end(), ids.begin() + static_cast<ptrdiff_t>(end - size))) {
      continue;
    }
    // Behind the newest token stand those that are guessed: a run may go on for longer than it has.
    const size_t begin = draft->size();
    for (size_t i = 0; i < most; ++i) {
      const size_t from = end + i;
      draft->push_back(from < ids.size() ? ids[from] : (*draft)[begin + from - ids.size()]);
    }
    return;
  }
}

void Drafter::Learn(int64_t num_drafted, int64_t num_accepted) {
  if (used_ == nullptr || num_drafted == 0) return;
  if (num_accepted == 0) {
    used_->pause = std::min(int64_t{1} << std::min<int64_t>(used_->misses++, 4), kMaxPause);
    used_->length = 2;
  } else {
    used_->misses = 0;
    const bool is_right = num_accepted == num_drafted;
    const auto length = static_cast<size_t>(is_right ? 2 * num_drafted : num_accepted + 1);
    used_->length = std::min(std::max<size_t>(length, 2), kMaxLength);
  }
  // A grammar's guesses are short by themselves.
  if (used_ == &forced_trust_) used_->length = kMaxLength;
  used_ = nullptr;
}

}  // namespace octavo
