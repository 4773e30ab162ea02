#include "formats/quantized_matrix.h"

#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tensor/float16.h"
#include "testing/memory_checkpoint.h"

namespace octavo {
namespace {

using octavo::testing::MemoryCheckpoint;

constexpr int64_t kK = 64;

template <typename T>
void Put(MemoryCheckpoint* checkpoint, const std::string& name, int64_t index, T value) {
  std::memcpy(checkpoint->Bytes(name).data() + index * static_cast<int64_t>(sizeof(T)), &value,
              sizeof(T));
}

QuantizationConfig Config(QuantMethod method, int bits, int group_size) {
  QuantizationConfig config;
  config.method = method;
  config.bits = bits;
  config.group_size = group_size;
  return config;
}

std::vector<float> Dequantize(const QuantizedMatrix& matrix) {
  std::vector<float> values(static_cast<size_t>(matrix.n() * matrix.k()));
  matrix.Dequantize(values.data());
  return values;
}

// The packed form holds the same numbers as the stored one.
void ExpectPacksExactly(const QuantizedMatrix& matrix, const char* layout_in_words) {
  const auto layout = matrix.Layout();
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->Describe(), layout_in_words);
  std::vector<std::byte> packed(PackedBytes(*layout));
  matrix.Pack(*layout, packed.data());
  const std::vector<float> expected = Dequantize(matrix);
  std::vector<float> row(static_cast<size_t>(matrix.k()));
  for (int64_t n = 0; n < matrix.n(); ++n) {
    UnpackPackedRow(*layout, packed.data(), n, row.data());
    ASSERT_EQ(std::memcmp(row.data(), expected.data() + n * matrix.k(), row.size() * 4), 0) << n;
  }
}

// 8 outputs in two groups of 32; word 0x75316420 holds q = 0 .. 7 in AutoAWQ's order.
MemoryCheckpoint Awq() {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.qweight", DType::kI32, Shape{kK, 1});
  checkpoint.Add("m.qzeros", DType::kI32, Shape{2, 1});
  checkpoint.Add("m.scales", DType::kF16, Shape{2, 8});
  for (int64_t i = 0; i < kK; ++i) Put<uint32_t>(&checkpoint, "m.qweight", i, 0x75316420u);
  Put<uint32_t>(&checkpoint, "m.qzeros", 1, 0xFDB9ECA8u);  // zeros 8 .. 15
  for (int64_t o = 0; o < 16; ++o) {
    Put(&checkpoint, "m.scales", o, ToFloat16(0.5f + static_cast<float>(o)).bits);
  }
  return checkpoint;
}

TEST(QuantizedMatrix, ReadsAwqWords) {
  const MemoryCheckpoint checkpoint = Awq();
  const QuantizedMatrix matrix(checkpoint, Config(QuantMethod::kAwq, 4, 32), "m");
  ASSERT_EQ(matrix.n(), 8);
  ASSERT_EQ(matrix.k(), kK);
  const std::vector<float> w = Dequantize(matrix);
  for (int o = 0; o < 8; ++o) {
    const auto at = [&](int64_t i) { return w[static_cast<size_t>(o * kK + i)]; };
    EXPECT_EQ(at(0), static_cast<float>(o) * (0.5f + static_cast<float>(o)));
    EXPECT_EQ(at(32), -8.0f * (8.5f + static_cast<float>(o)));  // q = o, zero = 8 + o
  }
  ExpectPacksExactly(matrix, "W4 g32");
}

// One output of words 0x76543210: q = 0 .. 7 along the inputs.
MemoryCheckpoint Gptq(DType scales = DType::kF16) {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.qweight", DType::kI32, Shape{kK / 8, 8});
  checkpoint.Add("m.qzeros", DType::kI32, Shape{2, 1});
  checkpoint.Add("m.scales", scales, Shape{2, 8});
  for (int64_t i = 0; i < kK; ++i) Put<uint32_t>(&checkpoint, "m.qweight", i, 0x76543210u);
  for (int64_t o = 0; o < 16 && scales == DType::kF16; ++o) {
    Put(&checkpoint, "m.scales", o, ToFloat16(0.25f).bits);
  }
  return checkpoint;
}

TEST(QuantizedMatrix, ReadsGptqZerosOfBothVersions) {
  MemoryCheckpoint checkpoint = Gptq();
  Put<uint32_t>(&checkpoint, "m.qzeros", 0, 0x77777777u);
  // Zeros 0, 1, 2, 3, ... minus one as a word: the borrow of the first goes through.
  Put<uint32_t>(&checkpoint, "m.qzeros", 1, 0x76543210u - 0x11111111u);
  QuantizationConfig config = Config(QuantMethod::kGptq, 4, 32);
  const std::vector<float> v1 = Dequantize({checkpoint, config, "m"});
  for (int o = 0; o < 8; ++o) {
    EXPECT_EQ(v1[static_cast<size_t>(o * kK + 3)], (3.0f - 8.0f) * 0.25f);
    EXPECT_EQ(v1[static_cast<size_t>(o * kK + 32)], static_cast<float>(-o) * 0.25f);
  }
  ExpectPacksExactly({checkpoint, config, "m"}, "W4 g32");
  config.is_gptq_v2 = true;
  EXPECT_EQ(Dequantize({checkpoint, config, "m"})[3], (3.0f - 7.0f) * 0.25f);
}

TEST(QuantizedMatrix, LargerGroupsAreRepeated) {
  const MemoryCheckpoint checkpoint = Gptq();
  ExpectPacksExactly({checkpoint, Config(QuantMethod::kGptq, 4, 0), "m"}, "W4 g64");
  // 48 inputs a group, the last one short: no block of 32 has one scale.
  EXPECT_EQ(QuantizedMatrix(checkpoint, Config(QuantMethod::kGptq, 4, 48), "m").Layout(),
            std::nullopt);
}

TEST(QuantizedMatrix, ActOrderPacksOnlyWhereGroupsLieSideBySide) {
  MemoryCheckpoint checkpoint = Gptq();
  checkpoint.Add("m.g_idx", DType::kI32, Shape{kK});
  // The second group first: regular, though not in order.
  for (int64_t i = 0; i < kK; ++i) Put<int32_t>(&checkpoint, "m.g_idx", i, i < 32 ? 1 : 0);
  for (int64_t o = 0; o < 8; ++o) Put(&checkpoint, "m.scales", 8 + o, ToFloat16(2.0f).bits);
  const QuantizationConfig config = Config(QuantMethod::kGptq, 4, 32);
  const std::vector<float> swapped = Dequantize({checkpoint, config, "m"});
  EXPECT_EQ(swapped[5], (5.0f - 1.0f) * 2.0f);
  EXPECT_EQ(swapped[32 + 5], (5.0f - 1.0f) * 0.25f);
  ExpectPacksExactly({checkpoint, config, "m"}, "W4 g32");
  Put<int32_t>(&checkpoint, "m.g_idx", 31, 0);
  EXPECT_EQ(QuantizedMatrix(checkpoint, config, "m").Layout(), std::nullopt);
  EXPECT_EQ(Dequantize({checkpoint, config, "m"})[31], (7.0f - 1.0f) * 0.25f);
}

TEST(QuantizedMatrix, ReadsGptqOfTwoAndEightBits) {
  for (const int bits : {2, 8}) {
    MemoryCheckpoint checkpoint;
    const int64_t per_word = 32 / bits;
    checkpoint.Add("m.qweight", DType::kI32, Shape{kK / per_word, 16});
    checkpoint.Add("m.qzeros", DType::kI32, Shape{1, 16 / per_word});
    checkpoint.Add("m.scales", DType::kBF16, Shape{1, 16});
    for (int64_t i = 0; i < kK / per_word * 16; ++i) {
      Put<uint32_t>(&checkpoint, "m.qweight", i, bits == 2 ? 0xE4E4E4E4u : 0xFF80017Fu);
    }
    for (int64_t o = 0; o < 16; ++o) Put(&checkpoint, "m.scales", o, ToBFloat16(3.0f).bits);
    for (int64_t i = 0; i < 16 / per_word; ++i) {
      Put<uint32_t>(&checkpoint, "m.qzeros", i, bits == 2 ? 0x55555555u : 0x7F7F7F7Fu);
    }
    const QuantizedMatrix matrix(checkpoint, Config(QuantMethod::kGptq, bits, 0), "m");
    const std::vector<float> w = Dequantize(matrix);
    if (bits == 2) {
      EXPECT_EQ(std::vector<float>(w.begin(), w.begin() + 4),
                (std::vector<float>{-6.0f, -3.0f, 0.0f, 3.0f}));
    } else {
      EXPECT_EQ(std::vector<float>(w.begin(), w.begin() + 4),
                (std::vector<float>{-3.0f, -381.0f, 0.0f, 381.0f}));
    }
    ExpectPacksExactly(matrix, bits == 2 ? "W4 g64" : "W8 g64");
  }
}

// Values -8 .. -1 pack to 0x76543210.
TEST(QuantizedMatrix, ReadsCompressedTensors) {
  MemoryCheckpoint checkpoint;
  checkpoint.Add("m.weight_packed", DType::kI32, Shape{8, kK / 8});
  checkpoint.Add("m.weight_scale", DType::kBF16, Shape{8, 2});
  checkpoint.Add("m.weight_shape", DType::kI64, Shape{2});
  checkpoint.Add("m.weight_zero_point", DType::kI32, Shape{1, 2});
  Put<int64_t>(&checkpoint, "m.weight_shape", 0, 8);
  Put<int64_t>(&checkpoint, "m.weight_shape", 1, kK);
  for (int64_t i = 0; i < kK; ++i) Put<uint32_t>(&checkpoint, "m.weight_packed", i, 0x76543210u);
  for (int64_t i = 0; i < 16; ++i) {
    Put(&checkpoint, "m.weight_scale", i, ToBFloat16(static_cast<float>(1 + i)).bits);
  }
  Put<uint32_t>(&checkpoint, "m.weight_zero_point", 1, 0x76543210u);  // group 1: -8 + output
  QuantizationConfig config = Config(QuantMethod::kCompressedTensors, 4, 32);
  const std::vector<float> w = Dequantize({checkpoint, config, "m"});
  EXPECT_EQ(w[2 * kK + 3], (-5.0f + 8.0f) * 5.0f);  // output 2, group 0: scale 1 + 4
  EXPECT_EQ(w[2 * kK + 35], (-5.0f + 6.0f) * 6.0f);
  ExpectPacksExactly({checkpoint, config, "m"}, "W4 g32");
  config.is_symmetric = true;
  EXPECT_EQ(Dequantize({checkpoint, config, "m"})[3], -5.0f);
}

TEST(QuantizedMatrix, ScalesPackOnlyIfSixteenBitsHoldThem) {
  MemoryCheckpoint checkpoint = Gptq(DType::kF32);
  const QuantizationConfig config = Config(QuantMethod::kGptq, 4, 32);
  for (int64_t i = 0; i < 16; ++i) Put(&checkpoint, "m.scales", i, 0.25f);
  ExpectPacksExactly({checkpoint, config, "m"}, "W4 g32");
  Put(&checkpoint, "m.scales", 3, 1e20f);
  EXPECT_EQ(QuantizedMatrix(checkpoint, config, "m").Layout(), std::nullopt);
  for (int64_t i = 0; i < 16; ++i) Put(&checkpoint, "m.scales", i, 0x1p60f);
  const QuantizedMatrix wide(checkpoint, config, "m");
  EXPECT_EQ(wide.Layout()->group.scale_dtype, DType::kBF16);
  ExpectPacksExactly(wide, "W4 g32");
  Put(&checkpoint, "m.scales", 3, 0.1f);
  EXPECT_EQ(QuantizedMatrix(checkpoint, config, "m").Layout(), std::nullopt);
}

}  // namespace
}  // namespace octavo
