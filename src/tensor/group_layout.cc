#include "tensor/group_layout.h"

#include <cstdlib>
#include <cstring>
#include <limits>

#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr int k7BitMost = 63;
constexpr int k4BitZeroMost = 16;

int KPerLine(const GroupLayout& layout) { return layout.bits == 4 ? 8 : 4; }

int64_t Panels(int64_t n) { return (n - 1) / kPanelColumns + 1; }

// Place in its block of the byte that holds q[i] of a column.
int64_t BytePlace(const GroupLayout& layout, int column, int i) {
  return int64_t{i / KPerLine(layout)} * kGroupLineBytes + int64_t{4} * column + i % 4;
}

const std::byte* ZeroPlace(const GroupLayout& layout, const std::byte* block, int column) {
  return block + GroupSideOffset(layout) + kGroupZeroOffset + column;
}

int Stored8(std::byte b) { return static_cast<int8_t>(std::to_integer<uint8_t>(b)); }

bool BlockIn7Bits(const GroupLayout& layout, const std::byte* block) {
  for (int64_t i = 0; i < GroupSideOffset(layout); ++i) {
    if (std::abs(Stored8(block[i])) > k7BitMost) return false;
  }
  for (int c = 0; c < kPanelColumns; ++c) {
    if (Stored8(*ZeroPlace(layout, block, c)) != 0) return false;
  }
  return true;
}

bool BlockZerosIn4Bits(const GroupLayout& layout, const std::byte* block) {
  for (int c = 0; c < kPanelColumns; ++c) {
    if (GroupZero(layout, block, c) > k4BitZeroMost) return false;
  }
  return true;
}

}  // namespace

const char* InvalidGroupLayout(const GroupLayout& layout, int64_t n, int64_t k) noexcept {
  if (layout.bits != 4 && layout.bits != 8) return "bits are neither 4 nor 8";
  const int size = layout.group_size;
  if (size != 32 && size != 64 && size != 128) return "group size is none of 32, 64, 128";
  if (layout.scale_dtype != DType::kF16 && layout.scale_dtype != DType::kBF16) {
    return "scales are neither F16 nor BF16";
  }
  if (layout.is_7bit && layout.bits != 8) return "range of 7 bits, but bits are not 8";
  if (n <= 0 || k <= 0) return "a dimension is not positive";
  if (k % size != 0) return "group size does not divide K";
  const int64_t most = std::numeric_limits<int64_t>::max() / GroupBlockBytes(layout);
  if (k / size > most / Panels(n)) return "size does not fit 63 bits";
  return nullptr;
}

int64_t GroupSideOffset(const GroupLayout& layout) noexcept {
  return int64_t{layout.group_size / KPerLine(layout)} * kGroupLineBytes;
}

int64_t GroupBlockBytes(const GroupLayout& layout) noexcept {
  return GroupSideOffset(layout) + kGroupSideBytes;
}

int64_t GroupMatrixBytes(const GroupLayout& layout, int64_t n, int64_t k) noexcept {
  return Panels(n) * (k / layout.group_size) * GroupBlockBytes(layout);
}

int64_t GroupBlockOffset(const GroupLayout& layout, int64_t k, int64_t panel,
                         int64_t group) noexcept {
  return (panel * (k / layout.group_size) + group) * GroupBlockBytes(layout);
}

int GroupQ(const GroupLayout& layout, const std::byte* block, int column, int i) noexcept {
  const std::byte b = block[BytePlace(layout, column, i)];
  if (layout.bits == 8) return Stored8(b) + 128;
  const int both = std::to_integer<int>(b);
  return i % 8 < 4 ? both & 15 : both >> 4;
}

int GroupZero(const GroupLayout& layout, const std::byte* block, int column) noexcept {
  const std::byte b = *ZeroPlace(layout, block, column);
  return layout.bits == 8 ? Stored8(b) + 128 : std::to_integer<int>(b);
}

float GroupScale(const GroupLayout& layout, const std::byte* block, int column) noexcept {
  uint16_t bits = 0;
  std::memcpy(&bits, block + GroupSideOffset(layout) + int64_t{2} * column, sizeof(bits));
  return layout.scale_dtype == DType::kF16 ? ToFloat(Float16{bits}) : ToFloat(BFloat16{bits});
}

float GroupWeight(const GroupLayout& layout, const std::byte* block, int column, int i) noexcept {
  const int q = GroupQ(layout, block, column, i) - GroupZero(layout, block, column);
  return static_cast<float>(q) * GroupScale(layout, block, column);
}

void WriteGroupBlock(const GroupLayout& layout, const GroupBlock& block, std::byte* out) noexcept {
  std::memset(out, 0, static_cast<size_t>(GroupBlockBytes(layout)));
  std::byte* const side = out + GroupSideOffset(layout);
  const int shift = layout.bits == 8 ? 128 : 0;
  for (int c = 0; c < block.columns; ++c) {
    const uint8_t* q = block.q + c * block.q_stride;
    for (int i = 0; i < layout.group_size; ++i) {
      int value = q[i] - shift;
      if (layout.bits == 4 && i % 8 >= 4) value <<= 4;
      out[BytePlace(layout, c, i)] |= static_cast<std::byte>(value & 0xFF);
    }
    std::memcpy(side + int64_t{2} * c, block.scale + c, sizeof(uint16_t));
    side[kGroupZeroOffset + c] = static_cast<std::byte>((block.zero[c] - shift) & 0xFF);
  }
}

bool GroupValuesInRange(const GroupLayout& layout, int64_t n, int64_t k,
                        const std::byte* data) noexcept {
  if (layout.bits == 8 && !layout.is_7bit) return true;
  const int64_t blocks = Panels(n) * (k / layout.group_size);
  for (int64_t i = 0; i < blocks; ++i) {
    const std::byte* block = data + i * GroupBlockBytes(layout);
    if (layout.bits == 8 ? !BlockIn7Bits(layout, block) : !BlockZerosIn4Bits(layout, block)) {
      return false;
    }
  }
  return true;
}

}  // namespace octavo
