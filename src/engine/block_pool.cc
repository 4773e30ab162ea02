#include "engine/block_pool.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace octavo {

BlockPool::BlockPool(int num_blocks)
    : num_blocks_(num_blocks), is_free_(static_cast<size_t>(num_blocks), true) {
  for (int32_t block = 0; block < num_blocks; ++block) free_.push_back(block);
}

std::optional<int32_t> BlockPool::Allocate() {
  if (free_.empty()) return std::nullopt;
  std::pop_heap(free_.begin(), free_.end(), std::greater<>());
  const int32_t block = free_.back();
  free_.pop_back();
  is_free_[static_cast<size_t>(block)] = false;
  return block;
}

void BlockPool::Free(int32_t block) {
  OCTAVO_CHECK(block >= 0 && block < num_blocks_ && !is_free_[static_cast<size_t>(block)], "block ",
               block);
  is_free_[static_cast<size_t>(block)] = true;
  free_.push_back(block);
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
}

}  // namespace octavo
