#include "vision/codec.h"

#include <gtest/gtest.h>

#include <limits>

#include "octavo/error.h"

namespace octavo {
namespace {

ErrorCode SizeError(int64_t width, int64_t height, int64_t max_pixels) {
  try {
    CheckImageSize(width, height, "test", {.max_pixels = max_pixels});
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::kCancelled;
}

TEST(Codec, LimitsTheProductOfTheSides) {
  EXPECT_EQ(SizeError(10, 10, 100), ErrorCode::kCancelled);
  EXPECT_EQ(SizeError(101, 1, 100), ErrorCode::kResourceExhausted);
  EXPECT_EQ(SizeError(15, 7, 104), ErrorCode::kResourceExhausted);
  EXPECT_EQ(SizeError(15, 7, 105), ErrorCode::kCancelled);
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SizeError(kLargest, kLargest, 100), ErrorCode::kResourceExhausted);
  EXPECT_EQ(SizeError(0, 5, 100), ErrorCode::kDataLoss);
  EXPECT_EQ(SizeError(5, -1, 100), ErrorCode::kDataLoss);
}

TEST(Codec, LimitsASide) {
  EXPECT_EQ(SizeError(1 << 20, 1, 1 << 29), ErrorCode::kCancelled);
  EXPECT_EQ(SizeError(1, 1 << 20, 1 << 29), ErrorCode::kCancelled);
  EXPECT_EQ(SizeError((1 << 20) + 1, 1, 1 << 29), ErrorCode::kResourceExhausted);
  EXPECT_EQ(SizeError(1, (1 << 20) + 1, 1 << 29), ErrorCode::kResourceExhausted);
}

TEST(Codec, ZeroesLargeBuffers) {
  const LargeBuffer buffer = NewLargeBuffer(100000);
  for (size_t i = 0; i < 100000; ++i) ASSERT_EQ(buffer[i], 0);
}

TEST(Codec, CompositesOnWhiteWithRounding) {
  for (int alpha = 0; alpha < 256; ++alpha) {
    for (int value = 0; value < 256; ++value) {
      const uint8_t rgba[4] = {static_cast<uint8_t>(value), 0, 255, static_cast<uint8_t>(alpha)};
      uint8_t rgb[3];
      ResolveAlpha(rgba, 1, AlphaRule::kOnWhite, rgb);
      const int exact = (2 * (value * alpha + 255 * (255 - alpha)) + 255) / 510;
      ASSERT_EQ(rgb[0], exact) << value << " alpha " << alpha;
      ASSERT_EQ(rgb[1], 255 - alpha);
      ASSERT_EQ(rgb[2], 255);
      ResolveAlpha(rgba, 1, AlphaRule::kDrop, rgb);
      ASSERT_EQ(rgb[0], value);
    }
  }
}

}  // namespace
}  // namespace octavo
