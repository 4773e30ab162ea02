// A fast hash of bytes, for names and for noticing change. Not for keys that others may choose, and
// no proof against intent.
#ifndef OCTAVO_BASE_HASH_H_
#define OCTAVO_BASE_HASH_H_

#include <cstdint>
#include <string_view>

namespace octavo {

inline constexpr uint64_t kFnvBasis = 0xCBF29CE484222325u;

// FNV-1a, 64 bits. `hash` is that of the bytes before these, so that parts can be hashed in turn.
// Source: draft-eastlake-fnv.
constexpr uint64_t Fnv1a64(std::string_view bytes, uint64_t hash = kFnvBasis) noexcept {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

}  // namespace octavo

#endif  // OCTAVO_BASE_HASH_H_
