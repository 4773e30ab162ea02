#include "base/memory_info.h"

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"

namespace octavo {
namespace {

TEST(MemoryInfo, ResidentGrowsByWhatIsTouched) {
  constexpr size_t kBytes = size_t{64} << 20;
  const int64_t before = ResidentBytes();
  ASSERT_GT(before, 0);
  int64_t during = 0;
  {
    AlignedBuffer<char> buffer(kBytes);
    // Volatile: the compiler knows that nobody reads the buffer.
    volatile char* data = buffer.data();
    for (size_t i = 0; i < kBytes; i += 1024) data[i] = 1;
    during = ResidentBytes();
  }
  EXPECT_GT(during - before, static_cast<int64_t>(kBytes) * 3 / 4);
  EXPECT_GE(PeakResidentBytes(), during - (int64_t{1} << 20));
}

TEST(MemoryInfo, PeakStartsAgainWhenReset) {
  constexpr size_t kBytes = size_t{96} << 20;
  {
    AlignedBuffer<char> buffer(kBytes);
    volatile char* data = buffer.data();
    for (size_t i = 0; i < kBytes; i += 1024) data[i] = 1;
  }
  const int64_t before = PeakResidentBytes();
  ResetPeakResidentBytes();
  if (PeakResidentBytes() == before) GTEST_SKIP() << "this kernel does not reset the peak";
  EXPECT_LT(PeakResidentBytes(), before - static_cast<int64_t>(kBytes) / 2);
}

TEST(MemoryInfo, AvailableIsWithinTheLimit) {
  EXPECT_GT(MemoryLimitBytes(), int64_t{64} << 20);
  EXPECT_GT(MemoryAvailableBytes(), 0);
  EXPECT_LE(MemoryAvailableBytes(), MemoryLimitBytes());
}

}  // namespace
}  // namespace octavo
