// KvCache: paged storage of keys and values; blocks are taken and given back by number.
#ifndef OCTAVO_MODEL_KV_CACHE_H_
#define OCTAVO_MODEL_KV_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/memory_reservation.h"
#include "model/config.h"
#include "ops/kv_layer.h"

namespace octavo {

inline constexpr int kKvBlockSize = 32;  // tokens in a block

// "f32", "bf16", "f16", "int8", which KvLayer's element types are called; nothing for others.
std::optional<DType> ParseKvCacheDType(std::string_view name) noexcept;
std::string_view KvCacheDTypeName(DType dtype) noexcept;

// Storage of `capacity_blocks` blocks; memory is touched (and thus counted as resident) only when a
// block is first written. Who owns a block is the caller's business (engine/block_pool).
// Owned by the engine thread.
class KvCache {
 public:
  // dtype: as KvLayer takes it. Throws kResourceExhausted.
  KvCache(const TextConfig& config, DType dtype, int capacity_blocks);

  int capacity_blocks() const { return capacity_blocks_; }
  ops::KvLayer Layer(int layer) const;

  // Bytes that one token, or one block, takes over all layers.
  static size_t BytesPerToken(const TextConfig& config, DType dtype);
  size_t bytes_per_block() const { return BytesPerToken(config_, dtype_) * kKvBlockSize; }

  // Lets the memory of a block go; its content is lost. Where a layer's part of a block is smaller
  // than a page of memory, the page stays.
  void Discard(int32_t block) noexcept;

 private:
  // Bytes of one layer's keys (or values) in one block.
  size_t PieceBytes() const;

  TextConfig config_;
  DType dtype_;
  int capacity_blocks_;
  // Per layer all keys, then all values; inside, block after block.
  MemoryReservation memory_;
};

}  // namespace octavo

#endif  // OCTAVO_MODEL_KV_CACHE_H_
