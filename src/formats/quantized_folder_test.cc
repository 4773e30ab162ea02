#include "formats/quantized_folder.h"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "tensor/float16.h"
#include "testing/error_code.h"
#include "testing/memory_checkpoint.h"

namespace octavo {
namespace {

using octavo::testing::ErrorCodeOf;
using octavo::testing::MemoryCheckpoint;

// A quantised layer "m" of 64 inputs and 8 outputs with a bias, and a plain tensor.
std::unique_ptr<MemoryCheckpoint> Layer() {
  auto checkpoint = std::make_unique<MemoryCheckpoint>();
  checkpoint->Add("norm.weight", DType::kF16, Shape{4});
  checkpoint->Add("m.qweight", DType::kI32, Shape{8, 8});
  checkpoint->Add("m.qzeros", DType::kI32, Shape{2, 1});
  checkpoint->Add("m.scales", DType::kF16, Shape{2, 8});
  checkpoint->Add("m.g_idx", DType::kI32, Shape{64});
  checkpoint->Add("m.bias", DType::kF16, Shape{8});
  checkpoint->text_files["config.json"] = "{}";
  for (size_t i = 0; i < 256; ++i) checkpoint->Bytes("m.qweight")[i] = '\x5A';
  const uint16_t scale = ToFloat16(0.5f).bits;
  for (size_t i = 0; i < 16; ++i) {
    std::memcpy(checkpoint->Bytes("m.scales").data() + 2 * i, &scale, 2);
  }
  checkpoint->Bytes("m.g_idx")[4 * 40] = 1;
  return checkpoint;
}

QuantizationConfig Config() {
  QuantizationConfig config;
  config.method = QuantMethod::kGptq;
  config.group_size = 32;
  config.is_gptq_v2 = true;
  return config;
}

TEST(QuantizedFolder, LayersHaveOneWeightEach) {
  auto layer = Layer();
  layer->Bytes("m.g_idx")[4 * 40] = 0;
  const auto checkpoint = OpenQuantized(std::move(layer), Config());
  EXPECT_EQ(checkpoint->Container(), "memory, GPTQ int4 g32");
  EXPECT_EQ(checkpoint->TextFile("config.json"), "{}");
  ASSERT_EQ(checkpoint->Tensors().size(), 3u);
  const TensorInfo& weight = checkpoint->Tensors()[1];
  EXPECT_EQ(weight.name, "m.weight");
  EXPECT_EQ(weight.dtype, DType::kF32);
  EXPECT_EQ(weight.packed->Describe(), "W4 g64") << "all inputs have group 0";
  EXPECT_FALSE(checkpoint->Find("m.qweight"));
  EXPECT_EQ(checkpoint->Get("m.bias").view.dtype, DType::kF16);
  EXPECT_FALSE(checkpoint->FindPacked("norm.weight"));
  float value = 0;
  ToFloats(checkpoint->Get("m.weight").view, 1, 1, &value);
  EXPECT_EQ(value, 2.5f);  // 0x5A: 10, then 5
  const PackedTensor packed = *checkpoint->FindPacked("m.weight");
  EXPECT_EQ(GroupWeight(packed.layout.group, packed.data, 0, 1), 2.5f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(packed.data) % 64, 0u);
}

TEST(QuantizedFolder, WhatDoesNotLieInGroupsIsWidened) {
  const auto checkpoint = OpenQuantized(Layer(), Config());
  EXPECT_FALSE(checkpoint->Tensors()[1].packed);
  EXPECT_EQ(StoredBytes(checkpoint->Tensors()[1]), 8u * 64 * 4);
  EXPECT_FALSE(checkpoint->FindPacked("m.weight"));
  EXPECT_EQ(checkpoint->Get("m.weight").view.shape, (Shape{8, 64}));
}

TEST(QuantizedFolder, AWeightBesideItsPartsIsRefused) {
  auto layer = Layer();
  layer->Add("m.weight", DType::kF16, Shape{8, 64});
  EXPECT_EQ(ErrorCodeOf([&] { OpenQuantized(std::move(layer), Config()); }), ErrorCode::kDataLoss);
}

TEST(QuantizedFolder, DamagedLayersAreRefused) {
  auto layer = Layer();
  layer->Remove("m.scales");
  EXPECT_EQ(ErrorCodeOf([&] { OpenQuantized(std::move(layer), Config()); }), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace octavo
