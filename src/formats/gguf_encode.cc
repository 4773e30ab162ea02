#include "formats/gguf_encode.h"

#include <cstring>

#include "base/check.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

enum TypeId : uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ4_1 = 3, kQ8_0 = 8, kBF16 = 30 };

constexpr int kBlock = 32;
constexpr int kMiddle4 = 8;
constexpr int kMiddle8 = 128;

const GgufTensorType& TypeOf(TypeId id) noexcept {
  const GgufTensorType* const type = FindGgufTensorType(id);
  OCTAVO_CHECK(type != nullptr);
  return *type;
}

const std::byte* BlockOf(const PackedLayout& layout, const std::byte* data, int64_t row,
                         int64_t group) {
  return data + GroupBlockOffset(layout.group, layout.k, row / kPanelColumns, group);
}

bool EveryZeroIs(const PackedLayout& layout, const std::byte* data, int zero) {
  for (int64_t row = 0; row < layout.n; ++row) {
    const int column = static_cast<int>(row % kPanelColumns);
    for (int64_t g = 0; g < layout.k / layout.group.group_size; ++g) {
      if (GroupZero(layout.group, BlockOf(layout, data, row, g), column) != zero) return false;
    }
  }
  return true;
}

void PutHalf(uint16_t bits, std::byte* out) { std::memcpy(out, &bits, sizeof bits); }

// Elements [first, first + 32) of a column of a group's block.
void Encode(const GroupLayout& group, const std::byte* block, int column, int first, uint32_t id,
            std::byte* out) {
  const float scale = GroupScale(group, block, column);
  PutHalf(ToFloat16(scale).bits, out);
  if (id == kQ8_0) {
    for (int i = 0; i < kBlock; ++i) {
      const int step = GroupQ(group, block, column, first + i) - kMiddle8;
      out[2 + i] = static_cast<std::byte>(static_cast<int8_t>(step));
    }
    return;
  }
  std::byte* nibbles = out + 2;
  if (id == kQ4_1) {
    const auto zero = static_cast<float>(GroupZero(group, block, column));
    PutHalf(ToFloat16(-zero * scale).bits, out + 2);
    nibbles = out + 4;
  }
  for (int i = 0; i < kBlock / 2; ++i) {
    const int low = GroupQ(group, block, column, first + i);
    const int high = GroupQ(group, block, column, first + i + kBlock / 2);
    nibbles[i] = static_cast<std::byte>(low | high << 4);
  }
}

}  // namespace

const GgufTensorType& GgufTypeOf(DType dtype) noexcept {
  if (dtype == DType::kF16) return TypeOf(kF16);
  if (dtype == DType::kBF16) return TypeOf(kBF16);
  OCTAVO_CHECK(dtype == DType::kF32);
  return TypeOf(kF32);
}

const char* NotForGguf(const PackedLayout& layout) noexcept {
  if (layout.group.scale_dtype != DType::kF16) return "GGUF has scales in F16 only";
  return nullptr;
}

const GgufTensorType* GgufTypeFor(const PackedLayout& layout, const std::byte* data) noexcept {
  if (layout.format == WeightFormat::kW4) {
    return &TypeOf(EveryZeroIs(layout, data, kMiddle4) ? kQ4_0 : kQ4_1);
  }
  return EveryZeroIs(layout, data, kMiddle8) ? &TypeOf(kQ8_0) : nullptr;
}

const GgufTensorType& GgufTypeForRounded(const PackedLayout& layout) noexcept {
  return TypeOf(layout.format == WeightFormat::kW4 ? kQ4_1 : kQ8_0);
}

std::vector<std::byte> ToGgufBlocks(const PackedLayout& layout, const std::byte* data,
                                    const GgufTensorType& type, int64_t begin, int64_t count) {
  OCTAVO_CHECK(begin >= 0 && count > 0 && begin + count <= layout.n);
  const int size = layout.group.group_size;
  std::vector<std::byte> blocks(
      static_cast<size_t>(count * (layout.k / kBlock) * type.block_bytes));
  std::byte* out = blocks.data();
  for (int64_t row = begin; row < begin + count; ++row) {
    const int column = static_cast<int>(row % kPanelColumns);
    for (int64_t g = 0; g < layout.k / size; ++g) {
      const std::byte* const block = BlockOf(layout, data, row, g);
      for (int first = 0; first < size; first += kBlock, out += type.block_bytes) {
        Encode(layout.group, block, column, first, type.id, out);
      }
    }
  }
  return blocks;
}

}  // namespace octavo
