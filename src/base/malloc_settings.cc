#include "base/malloc_settings.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace octavo {

void ReturnLargeBuffersAtOnce() noexcept {
#ifdef __GLIBC__
  // glibc's own first value; that it is set at all keeps it from changing (mallopt(3)).
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

}  // namespace octavo
