#include "formats/xxh64.h"

// All of the library is in its header, so that nothing has to be linked. Only its declarations for
// static analysis, whose findings in there are not ours to mend.
#ifndef __clang_analyzer__
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

namespace octavo {

uint64_t Xxh64(std::span<const std::byte> bytes) noexcept {
  return XXH64(bytes.data(), bytes.size(), 0);
}

}  // namespace octavo
