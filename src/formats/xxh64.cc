#include "formats/xxh64.h"

#include <xxhash.h>

namespace octavo {

uint64_t Xxh64(std::span<const std::byte> bytes) noexcept {
  return XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace octavo
