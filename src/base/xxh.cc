#include "base/xxh.h"

#include <xxhash.h>

namespace octavo {

uint64_t Xxh64(std::span<const std::byte> bytes) noexcept {
  return XXH64(bytes.data(), bytes.size(), 0);
}

Xxh128Digest Xxh128(std::span<const std::byte> bytes, uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace octavo
