// XXH64, the checksum of .octavo files: fast enough to check gigabytes, no proof against intent.
#ifndef OCTAVO_FORMATS_XXH64_H_
#define OCTAVO_FORMATS_XXH64_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace octavo {

// XXH64 with seed 0. Source: Cyan4973/xxHash doc/xxhash_spec.md.
uint64_t Xxh64(std::span<const std::byte> bytes) noexcept;

}  // namespace octavo

#endif  // OCTAVO_FORMATS_XXH64_H_
