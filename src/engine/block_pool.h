// BlockPool: hands out the cache's blocks by number and takes them back.
#ifndef OCTAVO_ENGINE_BLOCK_POOL_H_
#define OCTAVO_ENGINE_BLOCK_POOL_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace octavo {

// Engine thread only.
class BlockPool {
 public:
  explicit BlockPool(int num_blocks);

  int num_blocks() const { return num_blocks_; }
  int num_free() const { return static_cast<int>(free_.size()); }

  // The lowest numbers first, so that memory once touched is used again; nullopt: none is left.
  std::optional<int32_t> Allocate();
  // REQUIRES: allocated and not yet freed.
  void Free(int32_t block);

 private:
  int num_blocks_;
  std::vector<int32_t> free_;  // a heap, smallest on top
  std::vector<bool> is_free_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_BLOCK_POOL_H_
