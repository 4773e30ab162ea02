#include "formats/gguf_blocks.h"

#include <cstring>

#include "base/check.h"
#include "tensor/float16.h"
#include "tensor/tensor.h"

namespace octavo {
namespace {

enum TypeId : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ4_K = 12,
  kQ5_K = 13,
  kQ6_K = 14,
  kBF16 = 30,
};

constexpr int kSmallBlock = 32;

uint8_t Byte(const std::byte* block, int offset) { return std::to_integer<uint8_t>(block[offset]); }

uint16_t HalfBits(const std::byte* block, int offset) {
  uint16_t bits = 0;
  std::memcpy(&bits, block + offset, sizeof(bits));
  return bits;
}
float Half(const std::byte* block, int offset) { return ToFloat(Float16{HalfBits(block, offset)}); }

// Four bits of element e of a block of 32, whose 16 bytes begin at `offset`.
int Nibble(const std::byte* block, int offset, int e) {
  return Byte(block, offset + e % 16) >> (4 * (e / 16)) & 15;
}
// The same with the fifth bit from the word at `high_offset`.
int FiveBits(const std::byte* block, int high_offset, int offset, int e) {
  uint32_t high = 0;
  std::memcpy(&high, block + high_offset, sizeof(high));
  return Nibble(block, offset, e) | static_cast<int>(high >> e & 1) << 4;
}

// Scale and minimum, 6 bits each, of part j of 8 of a K block, whose 12 bytes begin at `s`.
struct ScaleAndMin {
  int scale;
  int min;
};
ScaleAndMin PartOf(const std::byte* s, int j) {
  if (j < 4) return {Byte(s, j) & 63, Byte(s, j + 4) & 63};
  return {(Byte(s, j + 4) & 15) | (Byte(s, j - 4) >> 6) << 4,
          (Byte(s, j + 4) >> 4) | (Byte(s, j) >> 6) << 4};
}

// Q4_K and Q5_K: 256 elements in 8 parts.
void DequantizeParts(const std::byte* block, bool has_fifth_bit, float* out) {
  const float d = Half(block, 0);
  const float dmin = Half(block, 2);
  const std::byte* high = block + 16;
  const std::byte* low = has_fifth_bit ? block + 48 : block + 16;
  for (int e = 0; e < 256; ++e) {
    const auto [scale, min] = PartOf(block + 4, e / 32);
    int q = Byte(low, 32 * (e / 64) + e % 32) >> (4 * (e % 64 / 32)) & 15;
    if (has_fifth_bit && (Byte(high, e % 32) >> (e / 32) & 1) != 0) q += 16;
    out[e] = d * static_cast<float>(scale) * static_cast<float>(q) - dmin * static_cast<float>(min);
  }
}

void DequantizeQ6K(const std::byte* block, float* out) {
  const float d = Half(block, 208);
  for (int e = 0; e < 256; ++e) {
    const int half = e / 128;
    const int k = e % 128 / 32;
    const int l = e % 32;
    const int low = Byte(block, 64 * half + 32 * (k % 2) + l) >> (4 * (k / 2)) & 15;
    const int high = Byte(block, 128 + 32 * half + l) >> (2 * k) & 3;
    const auto scale = static_cast<int8_t>(Byte(block, 192 + e / 16));
    out[e] = d * static_cast<float>(scale) * static_cast<float>((low | high << 4) - 32);
  }
}

void DequantizeBlock(uint32_t id, const std::byte* block, float* out) {
  switch (id) {
    case kQ4_K:
    case kQ5_K:
      DequantizeParts(block, id == kQ5_K, out);
      return;
    case kQ6_K:
      DequantizeQ6K(block, out);
      return;
    default:
      break;
  }
  const float d = Half(block, 0);
  for (int e = 0; e < kSmallBlock; ++e) {
    switch (id) {
      case kQ4_0:
        out[e] = d * static_cast<float>(Nibble(block, 2, e) - 8);
        break;
      case kQ4_1:
        out[e] = d * static_cast<float>(Nibble(block, 4, e)) + Half(block, 2);
        break;
      case kQ5_0:
        out[e] = d * static_cast<float>(FiveBits(block, 2, 6, e) - 16);
        break;
      case kQ5_1:
        out[e] = d * static_cast<float>(FiveBits(block, 4, 8, e)) + Half(block, 2);
        break;
      default:
        out[e] = d * static_cast<float>(static_cast<int8_t>(Byte(block, 2 + e)));
        break;
    }
  }
}

}  // namespace

bool IsReadGgufType(const GgufTensorType& type) noexcept {
  for (const uint32_t id :
       {kF32, kF16, kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ4_K, kQ5_K, kQ6_K, kBF16}) {
    if (type.id == id) return true;
  }
  return false;
}

std::optional<DType> GgufFloatType(const GgufTensorType& type) noexcept {
  switch (type.id) {
    case kF32:
      return DType::kF32;
    case kF16:
      return DType::kF16;
    case kBF16:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

void DequantizeGguf(const GgufTensorType& type, const std::byte* blocks, int64_t count,
                    float* out) {
  OCTAVO_CHECK(IsReadGgufType(type) && count % type.block_elements == 0, type.name);
  if (const std::optional<DType> dtype = GgufFloatType(type)) {
    ToFloats({blocks, *dtype, Shape{count}}, 0, count, out);
    return;
  }
  for (int64_t i = 0; i < count / type.block_elements; ++i) {
    DequantizeBlock(type.id, blocks + i * type.block_bytes, out + i * type.block_elements);
  }
}

std::optional<GroupLayout> GgufGroupLayout(const GgufTensorType& type) noexcept {
  GroupLayout group = {.bits = 8, .group_size = kSmallBlock, .scale_dtype = DType::kF16};
  switch (type.id) {
    case kQ4_0:
      group.bits = 4;
      return group;
    case kQ5_0:
      group.is_7bit = true;  // -16 .. 15
      return group;
    case kQ8_0:
      return group;
    default:
      return std::nullopt;
  }
}

void GgufGroupColumn(const GgufTensorType& type, const std::byte* block, uint8_t* q,
                     uint16_t* scale, uint8_t* zero) {
  *scale = HalfBits(block, 0);
  *zero = type.id == kQ4_0 ? 8 : 128;
  for (int e = 0; e < kSmallBlock; ++e) {
    int value = 0;
    switch (type.id) {
      case kQ4_0:
        value = Nibble(block, 2, e);
        break;
      case kQ5_0:
        value = FiveBits(block, 2, 6, e) - 16 + 128;
        break;
      default:
        value = static_cast<int8_t>(Byte(block, 2 + e)) + 128;
        break;
    }
    q[e] = static_cast<uint8_t>(value);
  }
}

}  // namespace octavo
