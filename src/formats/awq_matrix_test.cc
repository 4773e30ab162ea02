#include "formats/awq_matrix.h"

#include <gtest/gtest.h>

#include "base/aligned_buffer.h"
#include "base/random.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

TEST(AwqMatrix, OutputsStandInTheOrderOfAutoAwq) {
  // Outputs 8 w + k having q = k pack to this word.
  const PackedLayout layout = PackedLayout::Quantized({.bits = 4, .group_size = 32}, 16, 32);
  std::vector<uint8_t> q(16 * 32);
  std::vector<uint16_t> scales(16);
  std::vector<uint8_t> zeros(16);
  for (size_t c = 0; c < 16; ++c) {
    for (size_t i = 0; i < 32; ++i) q[c * 32 + i] = static_cast<uint8_t>(c % 8);
    zeros[c] = static_cast<uint8_t>(15 - c % 8);
    scales[c] = ToFloat16(static_cast<float>(c + 1)).bits;
  }
  AlignedBuffer<std::byte> data(PackedBytes(layout));
  WriteGroupBlock(layout.group, {q.data(), 32, scales.data(), zeros.data(), 16}, data.data());
  const AwqMatrix matrix = ToAwqMatrix(layout, data.data());
  ASSERT_EQ(matrix.qweight.size(), 32u * 2);
  for (const int32_t word : matrix.qweight) EXPECT_EQ(word, 0x75316420);
  ASSERT_EQ(matrix.qzeros.size(), 2u);
  for (const int32_t word : matrix.qzeros) EXPECT_EQ(static_cast<uint32_t>(word), 0x8ACE9BDFu);
  EXPECT_EQ(matrix.scales, scales);
}

TEST(AwqMatrix, EveryNumberIsWhereTheFormulaLooksForIt) {
  constexpr int64_t kN = 40;
  constexpr int64_t kK = 96;
  const PackedLayout layout = PackedLayout::Quantized({.bits = 4, .group_size = 32}, kN, kK);
  AlignedBuffer<std::byte> data(PackedBytes(layout));
  Random random(5);
  std::vector<uint8_t> q(16 * kK);
  for (int64_t panel = 0; panel < layout.num_panels(); ++panel) {
    const int columns = static_cast<int>(std::min<int64_t>(16, kN - panel * 16));
    for (int64_t g = 0; g < kK / 32; ++g) {
      std::vector<uint16_t> scales(16);
      std::vector<uint8_t> zeros(16);
      for (size_t c = 0; c < 16; ++c) {
        scales[c] = ToFloat16(static_cast<float>(1 + random.Below(50))).bits;
        zeros[c] = static_cast<uint8_t>(random.Below(16));
      }
      for (uint8_t& value : q) value = static_cast<uint8_t>(random.Below(16));
      WriteGroupBlock(layout.group, {q.data(), kK, scales.data(), zeros.data(), columns},
                      data.data() + GroupBlockOffset(layout.group, kK, panel, g));
    }
  }
  const AwqMatrix matrix = ToAwqMatrix(layout, data.data());
  const int inverse[8] = {0, 4, 1, 5, 2, 6, 3, 7};
  std::vector<float> row(kK);
  for (int64_t o = 0; o < kN; ++o) {
    UnpackPackedRow(layout, data.data(), o, row.data());
    for (int64_t i = 0; i < kK; ++i) {
      const auto word = static_cast<uint32_t>(matrix.qweight[i * (kN / 8) + o / 8]);
      const auto zeros = static_cast<uint32_t>(matrix.qzeros[i / 32 * (kN / 8) + o / 8]);
      const int shift = 4 * inverse[o % 8];
      const int number =
          static_cast<int>(word >> shift & 15) - static_cast<int>(zeros >> shift & 15);
      const float scale = ToFloat(Float16{matrix.scales[i / 32 * kN + o]});
      ASSERT_EQ(static_cast<float>(number) * scale, row[static_cast<size_t>(i)]);
    }
  }
  EXPECT_FALSE(HasZerosBeyondAwq(layout, data.data()));
}

TEST(AwqMatrix, SaysWhatItCannotHold) {
  const auto layout = [](int bits, int64_t n, DType scales) {
    return PackedLayout::Quantized({.bits = bits, .group_size = 32, .scale_dtype = scales}, n, 32);
  };
  EXPECT_EQ(NotForAwq(layout(4, 8, DType::kF16)), nullptr);
  EXPECT_NE(NotForAwq(layout(8, 8, DType::kF16)), nullptr);
  EXPECT_NE(NotForAwq(layout(4, 12, DType::kF16)), nullptr);
  EXPECT_NE(NotForAwq(layout(4, 8, DType::kBF16)), nullptr);
  // A zero of 16, as GPTQ's first version may have.
  const PackedLayout fits = layout(4, 8, DType::kF16);
  AlignedBuffer<std::byte> data(PackedBytes(fits));
  std::vector<uint8_t> q(8 * 32);
  std::vector<uint16_t> scales(8, ToFloat16(1).bits);
  std::vector<uint8_t> zeros(8, 3);
  zeros[5] = 16;
  WriteGroupBlock(fits.group, {q.data(), 32, scales.data(), zeros.data(), 8}, data.data());
  EXPECT_TRUE(HasZerosBeyondAwq(fits, data.data()));
}

}  // namespace
}  // namespace octavo
