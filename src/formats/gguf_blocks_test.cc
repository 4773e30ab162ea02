#include "formats/gguf_blocks.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

const GgufTensorType& TypeOf(uint32_t id) { return *FindGgufTensorType(id); }

std::vector<std::byte> Block(uint32_t id) {
  return std::vector<std::byte>(static_cast<size_t>(TypeOf(id).block_bytes));
}
void PutHalf(std::vector<std::byte>* block, size_t offset, float value) {
  const uint16_t bits = ToFloat16(value).bits;
  std::memcpy(block->data() + offset, &bits, 2);
}
std::vector<float> Dequantize(uint32_t id, const std::vector<std::byte>& block) {
  std::vector<float> out(static_cast<size_t>(TypeOf(id).block_elements));
  DequantizeGguf(TypeOf(id), block.data(), TypeOf(id).block_elements, out.data());
  return out;
}

// Values by the published formulas, worked out by hand.
TEST(GgufBlocks, SmallBlocksFollowTheirFormulas) {
  std::vector<std::byte> q4_0 = Block(2);
  PutHalf(&q4_0, 0, 0.5f);
  q4_0[2] = std::byte{0x3F};  // elements 0 and 16
  EXPECT_EQ(Dequantize(2, q4_0)[0], 3.5f);
  EXPECT_EQ(Dequantize(2, q4_0)[16], -2.5f);
  EXPECT_EQ(Dequantize(2, q4_0)[1], -4.0f);

  std::vector<std::byte> q4_1 = Block(3);
  PutHalf(&q4_1, 0, 0.5f);
  PutHalf(&q4_1, 2, -1.0f);
  q4_1[4 + 15] = std::byte{0x92};
  EXPECT_EQ(Dequantize(3, q4_1)[15], 0.0f);
  EXPECT_EQ(Dequantize(3, q4_1)[31], 3.5f);

  std::vector<std::byte> q5_0 = Block(6);
  PutHalf(&q5_0, 0, 2.0f);
  q5_0[2 + 2] = std::byte{0x02};  // fifth bit of element 17
  q5_0[6 + 1] = std::byte{0x7A};  // elements 1 and 17
  EXPECT_EQ(Dequantize(6, q5_0)[1], -12.0f);
  EXPECT_EQ(Dequantize(6, q5_0)[17], 14.0f);

  std::vector<std::byte> q5_1 = Block(7);
  PutHalf(&q5_1, 0, 2.0f);
  PutHalf(&q5_1, 2, 100.0f);
  q5_1[4] = std::byte{0x01};
  q5_1[8] = std::byte{0x03};
  EXPECT_EQ(Dequantize(7, q5_1)[0], 138.0f);
  EXPECT_EQ(Dequantize(7, q5_1)[16], 100.0f);

  std::vector<std::byte> q8_0 = Block(8);
  PutHalf(&q8_0, 0, -0.25f);
  q8_0[2 + 31] = std::byte{0x80};
  EXPECT_EQ(Dequantize(8, q8_0)[31], 32.0f);
}

TEST(GgufBlocks, LargeBlocksFollowTheirFormulas) {
  std::vector<std::byte> q4_k = Block(12);
  PutHalf(&q4_k, 0, 1.0f);
  PutHalf(&q4_k, 2, 2.0f);
  q4_k[4 + 1] = std::byte{0x85};        // part 1: scale 5; high bits of part 5's: 2
  q4_k[4 + 5] = std::byte{0xC3};        // part 1: min 3; high bits of part 5's: 3
  q4_k[4 + 9] = std::byte{0x71};        // part 5: scale 1 | 2 << 4 = 33, min 7 | 3 << 4 = 55
  q4_k[16 + 4] = std::byte{0x90};       // element 32 + 4 (part 1), high half: 9
  q4_k[16 + 64 + 2] = std::byte{0xB0};  // element 160 + 2 (part 5): 11
  EXPECT_EQ(Dequantize(12, q4_k)[36], 9.0f * 5.0f - 2.0f * 3.0f);
  EXPECT_EQ(Dequantize(12, q4_k)[162], 11.0f * 33.0f - 2.0f * 55.0f);

  std::vector<std::byte> q5_k = Block(13);
  PutHalf(&q5_k, 0, 1.0f);
  q5_k[4 + 1] = std::byte{2};
  q5_k[16 + 4] = std::byte{0x02};  // fifth bit of element 4 of part 1
  q5_k[48 + 4] = std::byte{0x50};
  EXPECT_EQ(Dequantize(13, q5_k)[36], 2.0f * 21.0f);

  std::vector<std::byte> q6_k = Block(14);
  PutHalf(&q6_k, 208, 0.5f);
  q6_k[192 + 14] = std::byte{0xFD};      // elements 224 to 239: scale -3
  q6_k[64 + 32 + 1] = std::byte{0x70};   // element 128 + 96 + 1: low 7
  q6_k[128 + 32 + 1] = std::byte{0x80};  // and high 2
  EXPECT_EQ(Dequantize(14, q6_k)[225], 0.5f * -3.0f * (39.0f - 32.0f));
}

TEST(GgufBlocks, GroupsHoldTheSameNumbers) {
  Random random(7);
  for (const uint32_t id : {2u, 6u, 8u}) {
    const GroupLayout group = *GgufGroupLayout(TypeOf(id));
    for (int round = 0; round < 50; ++round) {
      std::vector<std::byte> block = Block(id);
      for (std::byte& b : block) b = static_cast<std::byte>(random.Below(256));
      PutHalf(&block, 0, random.Uniform(-3.0f, 3.0f));
      uint8_t q[32];
      uint16_t scale = 0;
      uint8_t zero = 0;
      GgufGroupColumn(TypeOf(id), block.data(), q, &scale, &zero);
      std::vector<std::byte> packed(static_cast<size_t>(GroupBlockBytes(group)));
      WriteGroupBlock(group, {q, 32, &scale, &zero, 1}, packed.data());
      EXPECT_TRUE(GroupValuesInRange(group, 1, 32, packed.data())) << id;
      const std::vector<float> expected = Dequantize(id, block);
      for (int i = 0; i < 32; ++i) {
        ASSERT_EQ(GroupWeight(group, packed.data(), 0, i), expected[static_cast<size_t>(i)]);
      }
    }
  }
}

TEST(GgufBlocks, KnowsWhatItReads) {
  for (const uint32_t id : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 12u, 13u, 14u, 30u}) {
    EXPECT_TRUE(IsReadGgufType(TypeOf(id))) << TypeOf(id).name;
  }
  for (const uint32_t id : {10u, 11u, 15u, 20u, 23u, 26u, 39u}) {
    EXPECT_FALSE(IsReadGgufType(TypeOf(id))) << TypeOf(id).name;
  }
  EXPECT_EQ(GgufFloatType(TypeOf(30)), DType::kBF16);
  EXPECT_EQ(GgufFloatType(TypeOf(8)), std::nullopt);
  EXPECT_EQ(GgufGroupLayout(TypeOf(12)), std::nullopt);
  EXPECT_EQ(GgufGroupLayout(TypeOf(3)), std::nullopt);
}

}  // namespace
}  // namespace octavo
