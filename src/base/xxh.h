// xxHash: fast hashes of bytes, of gigabytes a second.
#ifndef OCTAVO_BASE_XXH_H_
#define OCTAVO_BASE_XXH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace octavo {

// XXH64 with seed 0, the checksum of .octavo files: no proof against intent.
// Source: Cyan4973/xxHash doc/xxhash_spec.md.
uint64_t Xxh64(std::span<const std::byte> bytes) noexcept;

// 128 bits: as a key, of contents that nobody can make collide by chance, or on purpose as long as
// the seed is secret.
struct Xxh128Digest {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Xxh128Digest&) const = default;
};

// XXH3 of 128 bits. Source: as above.
Xxh128Digest Xxh128(std::span<const std::byte> bytes, uint64_t seed) noexcept;

}  // namespace octavo

template <>
struct std::hash<octavo::Xxh128Digest> {
  size_t operator()(const octavo::Xxh128Digest& digest) const noexcept { return digest.low; }
};

#endif  // OCTAVO_BASE_XXH_H_
