#include "tensor/packed_layout.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tensor/float16.h"

namespace octavo {
namespace {

// Bits that no two elements share.
std::vector<uint16_t> Halves(int64_t count) {
  std::vector<uint16_t> halves(static_cast<size_t>(count));
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(0x3000 + i);
  return halves;
}

std::vector<std::byte> Pack(const PackedLayout& layout, const void* data, DType dtype) {
  const TensorView view = {static_cast<const std::byte*>(data), dtype, Shape{layout.n, layout.k}};
  std::vector<std::byte> packed(PackedBytes(layout), std::byte{0xEE});
  for (int64_t p = 0; p < layout.num_panels(); ++p) {
    PackFloatPanel(layout, view, p,
                   packed.data() + static_cast<size_t>(p) * PackedPanelBytes(layout));
  }
  return packed;
}

TEST(PackedLayout, FloatPanelsLieAsDocumented) {
  constexpr int64_t kN = 18;
  constexpr int64_t kK = 3;
  const std::vector<uint16_t> halves = Halves(kN * kK);
  const auto f16 = PackedLayout::Float(DType::kF16, kN, kK);
  const auto bf16 = PackedLayout::Float(DType::kBF16, kN, kK);
  ASSERT_EQ(PackedBytes(f16), 2u * 3 * 16 * 2);
  ASSERT_EQ(PackedBytes(bf16), 2u * 4 * 16 * 2);
  const auto at = [](const std::vector<std::byte>& bytes, size_t element) {
    uint16_t value = 0;
    std::memcpy(&value, bytes.data() + element * 2, 2);
    return value;
  };
  const auto plain = Pack(f16, halves.data(), DType::kF16);
  const auto pairs = Pack(bf16, halves.data(), DType::kBF16);
  for (int64_t row = 0; row < 32; ++row) {
    for (int64_t k = 0; k < 4; ++k) {
      const bool is_inside = row < kN && k < kK;
      const uint16_t expected = is_inside ? halves[static_cast<size_t>(row * kK + k)] : uint16_t{0};
      const int64_t panel = row / 16;
      if (k < kK) {
        EXPECT_EQ(at(plain, static_cast<size_t>((panel * 3 + k) * 16 + row % 16)), expected);
      }
      EXPECT_EQ(at(pairs, static_cast<size_t>(((panel * 2 + k / 2) * 16 + row % 16) * 2 + k % 2)),
                expected);
    }
  }
}

TEST(PackedLayout, RowsComeBackExactly) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    for (const auto& [n, k] : {std::pair<int64_t, int64_t>{1, 1}, {16, 5}, {33, 8}, {40, 7}}) {
      const auto layout = PackedLayout::Float(dtype, n, k);
      ASSERT_EQ(InvalidPackedLayout(layout), nullptr);
      std::vector<uint16_t> halves = Halves(n * k * 2);
      const auto packed = Pack(layout, halves.data(), dtype);
      const TensorView view = {reinterpret_cast<const std::byte*>(halves.data()), dtype,
                               Shape{n, k}};
      std::vector<float> expected(static_cast<size_t>(k));
      std::vector<float> got(static_cast<size_t>(k));
      for (int64_t row = 0; row < n; ++row) {
        ToFloats(view, row * k, k, expected.data());
        UnpackPackedRow(layout, packed.data(), row, got.data());
        ASSERT_EQ(got, expected) << n << " x " << k << " row " << row;
      }
    }
  }
}

TEST(PackedLayout, QuantisedRowsAreDequantised) {
  const GroupLayout group = {.bits = 4, .group_size = 32, .scale_dtype = DType::kBF16};
  const auto layout = PackedLayout::Quantized(group, 20, 64);
  EXPECT_EQ(PackedBytes(layout), 2u * 2 * (256 + 64));
  std::vector<std::byte> data(PackedBytes(layout));
  std::vector<uint8_t> q(16 * 32);
  for (size_t i = 0; i < q.size(); ++i) q[i] = static_cast<uint8_t>(i * 7 % 16);
  std::vector<uint16_t> scale(16, ToBFloat16(0.25f).bits);
  std::vector<uint8_t> zero(16, 3);
  for (int64_t block = 0; block < 4; ++block) {
    WriteGroupBlock(group, {q.data(), 32, scale.data(), zero.data(), block < 2 ? 16 : 4},
                    data.data() + block * GroupBlockBytes(group));
  }
  std::vector<float> row(64);
  UnpackPackedRow(layout, data.data(), 19, row.data());
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(row[i], (static_cast<float>(q[3 * 32 + i % 32]) - 3.0f) * 0.25f);
  }
}

TEST(PackedLayout, WhatCannotBeIsRefused) {
  EXPECT_NE(InvalidPackedLayout(PackedLayout::Float(DType::kF32, 0, 4)), nullptr);
  EXPECT_NE(InvalidPackedLayout(PackedLayout::Float(DType::kF32, 4, -1)), nullptr);
  EXPECT_NE(
      InvalidPackedLayout(PackedLayout::Float(DType::kF32, int64_t{1} << 40, int64_t{1} << 40)),
      nullptr);
  EXPECT_NE(InvalidPackedLayout(PackedLayout::Quantized({.group_size = 128}, 16, 64)), nullptr);
  PackedLayout mixed = PackedLayout::Quantized({.bits = 8}, 16, 128);
  EXPECT_EQ(InvalidPackedLayout(mixed), nullptr);
  mixed.format = WeightFormat::kW4;
  EXPECT_NE(InvalidPackedLayout(mixed), nullptr);
}

TEST(PackedLayout, DescribesItself) {
  EXPECT_EQ(PackedLayout::Float(DType::kBF16, 1, 1).Describe(), "BF16");
  EXPECT_EQ(PackedLayout::Quantized({.bits = 4}, 16, 128).Describe(), "W4 g128");
  EXPECT_EQ(
      PackedLayout::Quantized({.bits = 8, .group_size = 64, .is_7bit = true}, 16, 128).Describe(),
      "W8 g64 +-63");
}

TEST(PackedLayout, KnowsTheTypeOfWhatItStandsFor) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    EXPECT_EQ(PackedLayout::Float(dtype, 16, 32).unpacked_dtype(), dtype);
  }
  EXPECT_EQ(PackedLayout::Quantized(GroupLayout{}, 16, 128).unpacked_dtype(), DType::kF32);
}

}  // namespace
}  // namespace octavo
