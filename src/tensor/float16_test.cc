#include "tensor/float16.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// IEEE 754: sign, exponent and mantissa as powers of two, in double.
double ValueOf(uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

TEST(Float16, WideningIsExactForAll65536Values) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double f16 = ValueOf(half, 5, 10);
    const double bf16 = ValueOf(half, 8, 7);
    const float widened16 = ToFloat(Float16{half});
    const float widened_b = ToFloat(BFloat16{half});
    ASSERT_EQ(std::isnan(f16), std::isnan(widened16)) << bits;
    ASSERT_EQ(std::isnan(bf16), std::isnan(widened_b)) << bits;
    if (!std::isnan(f16)) {
      ASSERT_EQ(static_cast<double>(widened16), f16) << bits;
      ASSERT_EQ(std::signbit(widened16), std::signbit(f16)) << bits;
    }
    if (!std::isnan(bf16)) {
      ASSERT_EQ(static_cast<double>(widened_b), bf16) << bits;
      ASSERT_EQ(std::signbit(widened_b), std::signbit(bf16)) << bits;
    }
  }
}

TEST(Float16, NarrowingUndoesWideningForAll65536Values) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float f16 = ToFloat(Float16{half});
    const float bf16 = ToFloat(BFloat16{half});
    if (std::isnan(f16)) {
      ASSERT_TRUE(std::isnan(ToFloat(ToFloat16(f16)))) << bits;
    } else {
      ASSERT_EQ(ToFloat16(f16).bits, half);
    }
    if (std::isnan(bf16)) {
      ASSERT_TRUE(std::isnan(ToFloat(ToBFloat16(bf16)))) << bits;
    } else {
      ASSERT_EQ(ToBFloat16(bf16).bits, half);
    }
  }
}

// Between each two neighbours of the small type: just below the middle goes down, just above it
// goes up, the middle itself goes to the even one. The small step from the largest finite value to
// infinity follows the same rule.
template <typename Small, typename Narrow>
void CheckRounding(uint16_t infinity, int exponent_bits, int mantissa_bits, const Narrow& narrow) {
  for (uint16_t low = 0; low < infinity; ++low) {
    const auto high = static_cast<uint16_t>(low + 1);
    const double low_value = ValueOf(low, exponent_bits, mantissa_bits);
    // Infinity stands where the next value would be.
    const double high_value = high == infinity
                                  ? low_value + (low_value - ValueOf(static_cast<uint16_t>(low - 1),
                                                                     exponent_bits, mantissa_bits))
                                  : ValueOf(high, exponent_bits, mantissa_bits);
    const auto middle = static_cast<float>((low_value + high_value) / 2);
    ASSERT_EQ(static_cast<double>(middle), (low_value + high_value) / 2) << low;  // exact in f32
    const uint16_t even = low % 2 == 0 ? low : high;
    const float below = std::nextafterf(middle, 0.0f);
    const float above = std::nextafterf(middle, std::numeric_limits<float>::infinity());
    ASSERT_EQ(narrow(middle).bits, even) << low;
    ASSERT_EQ(narrow(below).bits, low) << low;
    ASSERT_EQ(narrow(above).bits, high) << low;
    ASSERT_EQ(narrow(-middle).bits, even | 0x8000) << low;
    ASSERT_EQ(narrow(-above).bits, high | 0x8000) << low;
  }
}

TEST(Float16, NarrowingToF16RoundsToNearestEvenEverywhere) {
  CheckRounding<Float16>(0x7C00, 5, 10, [](float x) { return ToFloat16(x); });
}

TEST(Float16, NarrowingToBF16RoundsToNearestEvenEverywhere) {
  CheckRounding<BFloat16>(0x7F80, 8, 7, [](float x) { return ToBFloat16(x); });
}

TEST(Float16, ExtremesGoToInfinityAndZero) {
  EXPECT_EQ(ToFloat16(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(ToFloat16(65520.0f).bits, 0x7C00);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::max()).bits, 0x7C00);
  EXPECT_EQ(ToFloat16(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
  EXPECT_EQ(ToFloat16(std::numeric_limits<float>::denorm_min()).bits, 0);
  EXPECT_EQ(ToFloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(ToBFloat16(std::numeric_limits<float>::max()).bits, 0x7F80);
  EXPECT_EQ(ToBFloat16(-0.0f).bits, 0x8000);
}

TEST(Float16, NanStaysNanWhateverItsPayload) {
  for (const uint32_t bits : {0x7F800001u, 0x7F80FFFFu, 0x7FC00000u, 0x7FFFFFFFu, 0xFF800001u}) {
    const auto nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(std::isnan(ToFloat(ToFloat16(nan)))) << bits;
    EXPECT_TRUE(std::isnan(ToFloat(ToBFloat16(nan)))) << bits;
    EXPECT_EQ(std::signbit(nan), (ToBFloat16(nan).bits & 0x8000) != 0);
  }
}

}  // namespace
}  // namespace octavo
