// BlockPool: hands out the cache's blocks by number, and keeps full ones for who needs the same.
#ifndef OCTAVO_ENGINE_BLOCK_POOL_H_
#define OCTAVO_ENGINE_BLOCK_POOL_H_

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/xxh.h"

namespace octavo {

// Names the content of a full block: its tokens and everything before them.
using BlockKey = Xxh128Digest;

// A block has users (sequences whose table names it), or is kept for its key, or is free. Kept
// blocks are handed out again when no free one is left, the least recently used first.
// Engine thread only.
class BlockPool {
 public:
  // max_kept: blocks that stay for their keys without a user. on_free: called with every block
  // whose content is of no more use; it may be handed out again at once.
  BlockPool(int num_blocks, int max_kept, std::function<void(int32_t)> on_free);

  int num_blocks() const { return num_blocks_; }
  // Blocks that Allocate can hand out.
  int num_free() const { return static_cast<int>(free_.size() + kept_.size()); }

  // A block with one user, the lowest numbers first, so that memory once touched is used again;
  // nullopt: none is left.
  std::optional<int32_t> Allocate();
  // One user less. REQUIRES: it has one.
  void Free(int32_t block) noexcept;

  // From now on Find gives this block for the key, until it is handed out again. No effect if
  // another block has the key, or nothing is ever kept. REQUIRES: a user. Throws std::bad_alloc.
  void SetKey(int32_t block, const BlockKey& key);
  std::optional<int32_t> Find(const BlockKey& key) const;
  // One user more. REQUIRES: it has one, or is kept.
  void Share(int32_t block) noexcept;
  bool has_users(int32_t block) const { return StateOf(block).num_users > 0; }
  // Its content is of no use to anybody.
  bool is_free(int32_t block) const { return !has_users(block) && !StateOf(block).key; }

 private:
  struct State {
    int num_users = 0;
    std::optional<BlockKey> key;
    std::list<int32_t>::iterator place;  // its node, in kept_ or others_
  };

  State& At(int32_t block);
  const State& StateOf(int32_t block) const { return states_[static_cast<size_t>(block)]; }
  // The block that waits longest becomes free.
  void DropOldest() noexcept;

  int num_blocks_;
  size_t max_kept_;
  std::function<void(int32_t)> on_free_;
  std::vector<State> states_;
  std::vector<int32_t> free_;  // a heap, smallest on top
  // Nodes move between these two, which cannot fail for want of memory.
  std::list<int32_t> kept_;  // the least recently used first
  std::list<int32_t> others_;
  std::unordered_map<BlockKey, int32_t> by_key_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_BLOCK_POOL_H_
