#include "base/malloc_settings.h"

#include <gtest/gtest.h>

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace octavo {
namespace {

TEST(MallocSettings, LargeBuffersNeverComeFromTheHeap) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "not glibc's allocator";
#else
  // In a process of its own, started anew: the setting is for good, and a heap that other tests
  // have used may have room for the buffer.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ReturnLargeBuffersAtOnce();
        void* volatile buffer = std::malloc(size_t{8} << 20);  // volatile: or nothing is allocated
        std::free(buffer);                                     // would raise the bound to 8 MB
        const size_t before = mallinfo2().hblks;               // buffers that stand alone
        buffer = std::malloc(size_t{1} << 20);
        const size_t with = mallinfo2().hblks;
        std::free(buffer);
        const size_t after = mallinfo2().hblks;
        std::exit(with == before + 1 && after == before ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
#endif
}

}  // namespace
}  // namespace octavo
