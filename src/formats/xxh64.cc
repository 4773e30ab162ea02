#include "formats/xxh64.h"

// All of the library is in its header, so that nothing has to be linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace octavo {

uint64_t Xxh64(std::span<const std::byte> bytes) noexcept {
  // The library copies from the pointer, which an empty span may not have.
  return bytes.empty() ? XXH64("", 0, 0) : XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace octavo
