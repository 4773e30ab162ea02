#include "vision/sample_depth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace octavo {
namespace {

using Bytes = std::vector<uint8_t>;

template <typename T>
Bytes Stored(const std::vector<T>& samples) {
  Bytes bytes(samples.size() * sizeof(T));
  std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

Bytes To8(const Bytes& stored, size_t num_samples, const SampleDepth& depth,
          SampleRule rule = SampleRule::kScale) {
  FloatRange range;
  if (depth.is_float) range.Add(stored.data(), num_samples, depth);
  Bytes out(num_samples);
  SamplesTo8Bits(stored.data(), num_samples, depth, rule, range, out.data());
  return out;
}

TEST(SampleDepth, ScalesEveryWidthOverItsWholeRange) {
  for (int bits = 1; bits <= 16; ++bits) {
    if (bits == 8 || bits == 16) continue;
    // All values from 0 up, packed by hand.
    const int num_values = std::min(1 << bits, 300);
    std::string text;
    for (int value = 0; value < num_values; ++value) {
      const int spread = static_cast<int>(int64_t{value} * ((1 << bits) - 1) / (num_values - 1));
      for (int bit = bits - 1; bit >= 0; --bit) text += (spread >> bit & 1) != 0 ? '1' : '0';
    }
    text.resize((text.size() + 7) / 8 * 8, '0');
    Bytes stored(text.size() / 8);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '1') stored[i / 8] = static_cast<uint8_t>(stored[i / 8] | 128 >> i % 8);
    }
    const Bytes out = To8(stored, static_cast<size_t>(num_values), {.num_bits = bits});
    for (int value = 0; value < num_values; ++value) {
      const int spread = static_cast<int>(int64_t{value} * ((1 << bits) - 1) / (num_values - 1));
      const auto wanted = static_cast<int>(std::floor(spread * 255.0 / ((1 << bits) - 1) + 0.5));
      ASSERT_EQ(out[static_cast<size_t>(value)], wanted) << bits << " bits, value " << spread;
    }
  }
  EXPECT_EQ(To8({0, 7, 255}, 3, {.num_bits = 8}), (Bytes{0, 7, 255}));
  EXPECT_EQ(To8(Stored<uint16_t>({0, 128, 129, 257, 65535}), 5, {.num_bits = 16}),
            (Bytes{0, 0, 1, 1, 255}));
  EXPECT_EQ(To8(Stored<uint32_t>({0, 0x80000000u, 0xFFFFFFFFu}), 3, {.num_bits = 32}),
            (Bytes{0, 128, 255}));
}

TEST(SampleDepth, DoesAsPillowWhereAsked) {
  const SampleDepth grey = {.num_bits = 16, .is_grey = true};
  const SampleDepth color = {.num_bits = 16};
  const Bytes stored = Stored<uint16_t>({0, 200, 256, 0x12FF, 65535});
  EXPECT_EQ(To8(stored, 5, grey, SampleRule::kAsPillow), (Bytes{0, 200, 255, 255, 255}));
  EXPECT_EQ(To8(stored, 5, color, SampleRule::kAsPillow), (Bytes{0, 0, 1, 0x12, 255}));
  const SampleDepth real = {.num_bits = 32, .is_float = true, .is_grey = true};
  EXPECT_EQ(To8(Stored<float>({-3, 0.9f, 7.9f, 300}), 4, real, SampleRule::kAsPillow),
            (Bytes{0, 0, 7, 255}));
}

TEST(SampleDepth, GuessesTheRangeOfFloats) {
  const SampleDepth real = {.num_bits = 32, .is_float = true};
  EXPECT_EQ(To8(Stored<float>({0, 0.5f, 1}), 3, real), (Bytes{0, 128, 255}));
  EXPECT_EQ(To8(Stored<float>({0, 0.5f, 0.8f}), 3, real), (Bytes{0, 128, 204}));
  EXPECT_EQ(To8(Stored<float>({0, 100.4f, 250}), 3, real), (Bytes{0, 100, 250}));
  EXPECT_EQ(To8(Stored<float>({257, 65535}), 2, real), (Bytes{1, 255}));
  EXPECT_EQ(To8(Stored<float>({-100, 0, 100}), 3, real), (Bytes{0, 128, 255}));
  EXPECT_EQ(To8(Stored<float>({1e5f, 2e5f}), 2, real), (Bytes{0, 255}));
  const SampleDepth wide = {.num_bits = 64, .is_float = true};
  EXPECT_EQ(To8(Stored<double>({0, 0.2, 1}), 3, wide), (Bytes{0, 51, 255}));
  // Halves: 0, 0.5, 1, the least above 0.
  const SampleDepth half = {.num_bits = 16, .is_float = true};
  EXPECT_EQ(To8(Stored<uint16_t>({0, 0x3800, 0x3C00, 1}), 4, half), (Bytes{0, 128, 255, 0}));
}

TEST(SampleDepth, SurvivesWhatIsNoNumber) {
  const SampleDepth real = {.num_bits = 32, .is_float = true};
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(To8(Stored<float>({kNan, kInf, -kInf, 0.2f, 1}), 5, real),
            (Bytes{255, 255, 0, 51, 255}));
  EXPECT_EQ(To8(Stored<float>({kNan, kNan}), 2, real), (Bytes{255, 255}));
  EXPECT_EQ(To8(Stored<float>({-5, -5}), 2, real), (Bytes{255, 255}));
  EXPECT_EQ(To8(Stored<double>({-1e308, 1e308, 0}), 3, {.num_bits = 64, .is_float = true}).size(),
            3u);
  const SampleDepth half = {.num_bits = 16, .is_float = true};
  EXPECT_EQ(To8(Stored<uint16_t>({0x7C00, 0xFC00, 0x7E00, 0x3C00}), 4, half),
            (Bytes{255, 0, 255, 255}));
}

TEST(SampleDepth, UnpacksIndicesUnscaled) {
  const Bytes stored = {0x1B, 0xE4};
  Bytes out(8);
  UnpackIndices(stored.data(), 8, 2, out.data());
  EXPECT_EQ(out, (Bytes{0, 1, 2, 3, 3, 2, 1, 0}));
}

TEST(SampleDepth, KnowsWhichWidthsItReads) {
  EXPECT_TRUE(IsKnownDepth({.num_bits = 12}));
  EXPECT_FALSE(IsKnownDepth({.num_bits = 0}));
  EXPECT_FALSE(IsKnownDepth({.num_bits = 24}));
  EXPECT_FALSE(IsKnownDepth({.num_bits = 64}));
  EXPECT_TRUE(IsKnownDepth({.num_bits = 64, .is_float = true}));
  EXPECT_FALSE(IsKnownDepth({.num_bits = 24, .is_float = true}));
}

}  // namespace
}  // namespace octavo
