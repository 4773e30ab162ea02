#include "base/aligned_buffer.h"

#include <cstdint>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(AlignedBuffer, EverySizeStartsOnACacheLine) {
  for (size_t size = 1; size < 300; ++size) {
    AlignedBuffer<float> buffer(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % kBufferAlignment, 0u);
    EXPECT_EQ(buffer.size_bytes(), size * 4);
    buffer[size - 1] = 1.0f;  // the sanitizer knows the end
  }
}

TEST(AlignedBuffer, MoveTakesTheMemory) {
  AlignedBuffer<int> a(10);
  a[9] = 7;
  int* data = a.data();
  const AlignedBuffer<int> b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b[9], 7);
}

TEST(AlignedBuffer, EmptyHasNoMemory) {
  const AlignedBuffer<int> buffer(0);
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_TRUE(buffer.span().empty());
}

TEST(AlignedBuffer, SizeThatOverflowsIsRefused) {
  EXPECT_THROW(AlignedBuffer<double>(std::numeric_limits<size_t>::max() / 4), std::bad_alloc);
}

}  // namespace
}  // namespace octavo
