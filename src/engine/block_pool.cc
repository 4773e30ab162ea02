#include "engine/block_pool.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace octavo {

BlockPool::BlockPool(int num_blocks, int max_kept, std::function<void(int32_t)> on_free)
    : num_blocks_(num_blocks),
      max_kept_(static_cast<size_t>(std::max(0, max_kept))),
      on_free_(std::move(on_free)),
      states_(static_cast<size_t>(num_blocks)) {
  for (int32_t block = 0; block < num_blocks; ++block) {
    free_.push_back(block);
    others_.push_back(block);
    At(block).place = std::prev(others_.end());
  }
}

BlockPool::State& BlockPool::At(int32_t block) {
  OCTAVO_CHECK(block >= 0 && block < num_blocks_, "block ", block);
  return states_[static_cast<size_t>(block)];
}

std::optional<int32_t> BlockPool::Allocate() {
  if (free_.empty() && !kept_.empty()) DropOldest();
  if (free_.empty()) return std::nullopt;
  std::pop_heap(free_.begin(), free_.end(), std::greater<>());
  const int32_t block = free_.back();
  free_.pop_back();
  At(block).num_users = 1;
  return block;
}

void BlockPool::Free(int32_t block) noexcept {
  State& state = At(block);
  OCTAVO_CHECK(state.num_users > 0, "block ", block);
  if (--state.num_users > 0) return;
  // At the end of the line; without a key, or where none is kept, at its head and out again.
  kept_.splice(state.key ? kept_.end() : kept_.begin(), others_, state.place);
  if (!state.key || kept_.size() > max_kept_) DropOldest();
}

void BlockPool::DropOldest() noexcept {
  const int32_t block = kept_.front();
  State& state = At(block);
  others_.splice(others_.end(), kept_, state.place);
  if (state.key) by_key_.erase(*state.key);
  state.key.reset();
  free_.push_back(block);  // of the capacity that it had from the start
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
  on_free_(block);
}

void BlockPool::SetKey(int32_t block, const BlockKey& key) {
  State& state = At(block);
  OCTAVO_CHECK(state.num_users > 0, "block ", block);
  if (max_kept_ == 0 || state.key) return;
  if (by_key_.try_emplace(key, block).second) state.key = key;
}

std::optional<int32_t> BlockPool::Find(const BlockKey& key) const {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  return found->second;
}

void BlockPool::Share(int32_t block) noexcept {
  State& state = At(block);
  OCTAVO_CHECK(state.num_users > 0 || state.key, "block ", block);
  if (state.num_users++ == 0) others_.splice(others_.end(), kept_, state.place);
}

}  // namespace octavo
