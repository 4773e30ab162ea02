#include "vision/byte_reader.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace octavo {
namespace {

TEST(ByteReader, ReadsBothByteOrders) {
  const std::string text = "\1\2\3\4\5\6\7\x88";
  const auto bytes = std::as_bytes(std::span(text));
  const ByteReader little(bytes, ByteOrder::kLittle);
  const ByteReader big(bytes, ByteOrder::kBig);
  EXPECT_EQ(little.U8(7), 0x88u);
  EXPECT_EQ(little.U16(1), 0x0302u);
  EXPECT_EQ(big.U16(1), 0x0203u);
  EXPECT_EQ(little.U32(4), 0x88070605u);
  EXPECT_EQ(big.U32(4), 0x05060788u);
  EXPECT_EQ(little.U64(0), 0x8807060504030201u);
  EXPECT_EQ(big.U64(0), 0x0102030405060788u);
}

TEST(ByteReader, ChecksRangesWithoutOverflow) {
  const std::string text = "abcd";
  const ByteReader reader(std::as_bytes(std::span(text)), ByteOrder::kLittle);
  EXPECT_TRUE(reader.Has(0, 4));
  EXPECT_TRUE(reader.Has(4, 0));
  EXPECT_FALSE(reader.Has(1, 4));
  EXPECT_FALSE(reader.Has(5, 0));
  constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(reader.Has(2, kLargest));
  EXPECT_FALSE(reader.Has(kLargest, 2));
}

}  // namespace
}  // namespace octavo
