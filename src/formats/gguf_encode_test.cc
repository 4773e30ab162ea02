#include "formats/gguf_encode.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "formats/gguf_blocks.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr int64_t kN = 20;  // not a whole number of panels
constexpr int64_t kK = 128;

// Random numbers; zeros of 4 bits are `zero`, or random where it is negative.
std::vector<std::byte> RandomMatrix(const PackedLayout& layout, int zero) {
  Random random(4);
  const GroupLayout& group = layout.group;
  std::vector<std::byte> data(PackedBytes(layout));
  for (int64_t panel = 0; panel < layout.num_panels(); ++panel) {
    for (int64_t g = 0; g < layout.k / group.group_size; ++g) {
      std::vector<uint8_t> q;
      uint16_t scales[kPanelColumns];
      uint8_t zeros[kPanelColumns];
      for (int c = 0; c < kPanelColumns; ++c) {
        for (int i = 0; i < group.group_size; ++i) {
          q.push_back(static_cast<uint8_t>(random.Below(group.bits == 4 ? 16 : 255)));
        }
        scales[c] = ToFloat16(0.001f * static_cast<float>(1 + random.Below(900))).bits;
        zeros[c] = static_cast<uint8_t>(zero < 0 ? static_cast<int>(random.Below(16)) : zero);
      }
      const int columns = static_cast<int>(std::min<int64_t>(16, layout.n - panel * 16));
      WriteGroupBlock(group, {q.data(), group.group_size, scales, zeros, columns},
                      data.data() + GroupBlockOffset(group, layout.k, panel, g));
    }
  }
  return data;
}

std::vector<float> Decoded(const PackedLayout& layout, const std::vector<std::byte>& data,
                           const GgufTensorType& type, int64_t begin, int64_t count) {
  const std::vector<std::byte> blocks = ToGgufBlocks(layout, data.data(), type, begin, count);
  std::vector<float> values(static_cast<size_t>(count * layout.k));
  DequantizeGguf(type, blocks.data(), count * layout.k, values.data());
  return values;
}

TEST(GgufEncode, SymmetricMatricesKeepTheirNumbers) {
  for (const int size : {32, 64, 128}) {
    for (const int bits : {4, 8}) {
      const PackedLayout layout =
          PackedLayout::Quantized({.bits = bits, .group_size = size}, kN, kK);
      const std::vector<std::byte> data = RandomMatrix(layout, bits == 4 ? 8 : 128);
      ASSERT_EQ(NotForGguf(layout), nullptr);
      const GgufTensorType* const type = GgufTypeFor(layout, data.data());
      ASSERT_NE(type, nullptr);
      EXPECT_STREQ(type->name, bits == 4 ? "Q4_0" : "Q8_0");
      const std::vector<float> found = Decoded(layout, data, *type, 3, 15);
      for (int64_t r = 0; r < 15; ++r) {
        std::vector<float> row(kK);
        UnpackPackedRow(layout, data.data(), 3 + r, row.data());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), found.begin() + r * kK)) << size << " " << r;
      }
    }
  }
}

TEST(GgufEncode, OtherZerosBecomeMinima) {
  const PackedLayout layout = PackedLayout::Quantized({.bits = 4, .group_size = 64}, kN, kK);
  const std::vector<std::byte> data = RandomMatrix(layout, -1);
  const GgufTensorType* const type = GgufTypeFor(layout, data.data());
  ASSERT_STREQ(type->name, "Q4_1");
  EXPECT_EQ(type, &GgufTypeForRounded(layout));
  const std::vector<float> found = Decoded(layout, data, *type, 0, kN);
  int num_other = 0;
  for (int64_t r = 0; r < kN; ++r) {
    for (int64_t i = 0; i < kK; ++i) {
      const std::byte* block = data.data() + GroupBlockOffset(layout.group, kK, r / 16, i / 64);
      const int column = static_cast<int>(r % 16);
      const float scale = GroupScale(layout.group, block, column);
      const auto q =
          static_cast<float>(GroupQ(layout.group, block, column, static_cast<int>(i % 64)));
      const auto zero = static_cast<float>(GroupZero(layout.group, block, column));
      const float expected = scale * q + ToFloat(ToFloat16(-zero * scale));
      EXPECT_EQ(found[static_cast<size_t>(r * kK + i)], expected);
      const float ours = GroupWeight(layout.group, block, column, static_cast<int>(i % 64));
      EXPECT_NEAR(expected, ours, zero * scale / 2048);
      num_other += expected != ours ? 1 : 0;
    }
  }
  EXPECT_GT(num_other, 0);
}

TEST(GgufEncode, WhatHasNoBlocksIsSaid) {
  const PackedLayout bf16 =
      PackedLayout::Quantized({.bits = 4, .group_size = 64, .scale_dtype = DType::kBF16}, kN, kK);
  EXPECT_STREQ(NotForGguf(bf16), "GGUF has scales in F16 only");
  const PackedLayout w8 = PackedLayout::Quantized({.bits = 8, .group_size = 64}, kN, kK);
  EXPECT_EQ(GgufTypeFor(w8, RandomMatrix(w8, 100).data()), nullptr);
  EXPECT_STREQ(GgufTypeForRounded(w8).name, "Q8_0");
  EXPECT_STREQ(GgufTypeOf(DType::kBF16).name, "BF16");
}

}  // namespace
}  // namespace octavo
