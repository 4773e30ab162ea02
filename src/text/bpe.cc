// Byte-pair merges: a scan for words, a heap over a linked list for what is longer.
#include "text/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/check.h"

namespace octavo {
namespace {

constexpr uint64_t kEmptyKey = UINT64_MAX;  // no pair: ids are not negative

// Up to here finding the next merge by a scan of all pairs is faster than the heap. Results are
// the same: Bpe.ShortAndLongPathAgree.
constexpr size_t kMaxScanIds = 48;

uint64_t Key(int32_t left, int32_t right) {
  return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 | static_cast<uint32_t>(right);
}

}  // namespace

MergeTable::MergeTable(size_t num_merges) {
  // At most three quarters full, and never full, so that a search ends.
  const size_t num_slots = std::bit_ceil(num_merges + num_merges / 3 + 2);
  keys_.assign(num_slots, kEmptyKey);
  ranks_.assign(num_slots, kNoRank);
  merged_ids_.reserve(num_merges);
  hash_shift_ = 64 - std::countr_zero(num_slots);
}

size_t MergeTable::FindSlot(uint64_t key) const noexcept {
  // Fibonacci hashing: the high bits of a product with 2^64 / golden ratio, after folding the
  // left id into the low half so that both ids reach them.
  const uint64_t hash = (key ^ key >> 29) * 0x9E3779B97F4A7C15u;
  size_t slot = static_cast<size_t>(hash >> hash_shift_);
  while (keys_[slot] != key && keys_[slot] != kEmptyKey) slot = (slot + 1) & (keys_.size() - 1);
  return slot;
}

bool MergeTable::Add(int32_t left, int32_t right, int32_t merged) {
  OCTAVO_CHECK(left >= 0 && right >= 0 && merged >= 0, left, " ", right, " ", merged);
  OCTAVO_CHECK(merged_ids_.size() + 1 < keys_.size());
  const size_t slot = FindSlot(Key(left, right));
  if (keys_[slot] != kEmptyKey) return false;
  keys_[slot] = Key(left, right);
  ranks_[slot] = static_cast<uint32_t>(merged_ids_.size());
  merged_ids_.push_back(merged);
  return true;
}

uint32_t MergeTable::FindRank(int32_t left, int32_t right) const noexcept {
  return ranks_[FindSlot(Key(left, right))];
}

size_t MergeTable::memory_bytes() const noexcept {
  return keys_.size() * sizeof(uint64_t) + ranks_.size() * sizeof(uint32_t) +
         merged_ids_.capacity() * sizeof(int32_t);
}

void BpeMerger::Merge(std::vector<int32_t>* ids, std::vector<int32_t>* out) {
  if (ids->size() <= kMaxScanIds) {
    MergeShort(ids, out);
  } else {
    MergeLong(*ids, out);
  }
}

void BpeMerger::MergeShort(std::vector<int32_t>* ids, std::vector<int32_t>* out) {
  std::vector<int32_t>& tokens = *ids;
  size_t num_tokens = tokens.size();
  ranks_.resize(num_tokens);  // ranks_[i] belongs to tokens i and i + 1
  for (size_t i = 0; i + 1 < num_tokens; ++i) {
    ranks_[i] = merges_.FindRank(tokens[i], tokens[i + 1]);
  }
  while (num_tokens > 1) {
    const auto ranks_end = ranks_.begin() + static_cast<ptrdiff_t>(num_tokens - 1);
    const auto lowest = std::min_element(ranks_.begin(), ranks_end);  // the leftmost of equals
    if (*lowest == MergeTable::kNoRank) break;
    const auto i = static_cast<size_t>(lowest - ranks_.begin());
    tokens[i] = merges_.merged_id(*lowest);
    const auto offset = static_cast<ptrdiff_t>(i) + 1;
    std::copy(tokens.begin() + offset + 1, tokens.begin() + static_cast<ptrdiff_t>(num_tokens),
              tokens.begin() + offset);
    std::copy(lowest + 1, ranks_end, lowest);
    --num_tokens;
    if (i + 1 < num_tokens) ranks_[i] = merges_.FindRank(tokens[i], tokens[i + 1]);
    if (i > 0) ranks_[i - 1] = merges_.FindRank(tokens[i - 1], tokens[i]);
  }
  out->insert(out->end(), tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(num_tokens));
}

// Looks up the pair that begins at `left` and queues it.
void BpeMerger::UpdatePair(int32_t left) {
  Symbol& symbol = symbols_[static_cast<size_t>(left)];
  symbol.pair_rank = MergeTable::kNoRank;
  if (symbol.next < 0) return;
  symbol.pair_rank = merges_.FindRank(symbol.id, symbols_[static_cast<size_t>(symbol.next)].id);
  if (symbol.pair_rank == MergeTable::kNoRank) return;
  queue_.push_back(static_cast<uint64_t>(symbol.pair_rank) << 32 | static_cast<uint32_t>(left));
}

void BpeMerger::MergeLong(const std::vector<int32_t>& ids, std::vector<int32_t>* out) {
  OCTAVO_CHECK(ids.size() < size_t{1} << 31, ids.size());
  const auto num_ids = static_cast<int32_t>(ids.size());
  symbols_.clear();
  queue_.clear();
  for (int32_t i = 0; i < num_ids; ++i) {
    const int32_t next = i + 1 < num_ids ? i + 1 : -1;
    symbols_.push_back({ids[static_cast<size_t>(i)], i - 1, next, MergeTable::kNoRank});
  }
  for (int32_t i = 0; i < num_ids; ++i) UpdatePair(i);
  std::make_heap(queue_.begin(), queue_.end(), std::greater<>());

  const auto update_and_sift = [this](int32_t left) {
    const size_t num_queued = queue_.size();
    UpdatePair(left);
    if (queue_.size() > num_queued) std::push_heap(queue_.begin(), queue_.end(), std::greater<>());
  };
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end(), std::greater<>());
    const uint64_t entry = queue_.back();
    queue_.pop_back();
    const auto rank = static_cast<uint32_t>(entry >> 32);
    const auto left = static_cast<int32_t>(entry & UINT32_MAX);
    Symbol& symbol = symbols_[static_cast<size_t>(left)];
    // A rank names one pair, so an entry is stale exactly if the symbol's pair has another.
    if (symbol.pair_rank != rank) continue;
    Symbol& eaten = symbols_[static_cast<size_t>(symbol.next)];
    symbol.id = merges_.merged_id(rank);
    symbol.next = eaten.next;
    eaten.pair_rank = MergeTable::kNoRank;
    if (symbol.next >= 0) symbols_[static_cast<size_t>(symbol.next)].previous = left;
    update_and_sift(left);
    if (symbol.previous >= 0) update_and_sift(symbol.previous);
  }
  for (int32_t i = 0; i >= 0; i = symbols_[static_cast<size_t>(i)].next) {
    out->push_back(symbols_[static_cast<size_t>(i)].id);
  }
}

}  // namespace octavo
