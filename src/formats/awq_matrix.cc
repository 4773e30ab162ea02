#include "formats/awq_matrix.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"

namespace octavo {
namespace {

constexpr int64_t kPerWord = 8;
// Output that nibble n holds.
constexpr std::array<int, kPerWord> kOrder = {0, 2, 4, 6, 1, 3, 5, 7};

const std::byte* BlockOf(const PackedLayout& layout, const std::byte* data, int64_t row,
                         int64_t group) {
  return data + GroupBlockOffset(layout.group, layout.k, row / kPanelColumns, group);
}

// Eight numbers of at most 15 in AutoAWQ's order.
template <typename Number>
int32_t Word(Number number) {
  uint32_t word = 0;
  for (size_t n = 0; n < kPerWord; ++n) {
    word |= static_cast<uint32_t>(number(kOrder[n])) << (4 * n);
  }
  return static_cast<int32_t>(word);
}

}  // namespace

const char* NotForAwq(const PackedLayout& layout) noexcept {
  if (layout.format != WeightFormat::kW4) return "AutoAWQ has 4 bits only";
  if (layout.group.scale_dtype != DType::kF16) return "AutoAWQ has scales in F16 only";
  if (layout.n % kPerWord != 0) return "AutoAWQ needs a multiple of 8 outputs";
  return nullptr;
}

bool HasZerosBeyondAwq(const PackedLayout& layout, const std::byte* data) noexcept {
  for (int64_t g = 0; g < layout.k / layout.group.group_size; ++g) {
    for (int64_t n = 0; n < layout.n; ++n) {
      const int column = static_cast<int>(n % kPanelColumns);
      if (GroupZero(layout.group, BlockOf(layout, data, n, g), column) > 15) return true;
    }
  }
  return false;
}

namespace {

// Eight outputs from w * kPerWord on, of group g.
void PlaceWord(const PackedLayout& layout, const std::byte* data, int64_t w, int64_t g,
               AwqMatrix* matrix) {
  const int64_t size = layout.group.group_size;
  const int64_t words = layout.n / kPerWord;
  const std::byte* const block = BlockOf(layout, data, w * kPerWord, g);
  const auto column = [w](int output) {
    return static_cast<int>((w * kPerWord + output) % kPanelColumns);
  };
  for (int64_t i = 0; i < size; ++i) {
    matrix->qweight[static_cast<size_t>((g * size + i) * words + w)] = Word([&](int output) {
      return GroupQ(layout.group, block, column(output), static_cast<int>(i));
    });
  }
  matrix->qzeros[static_cast<size_t>(g * words + w)] =
      Word([&](int output) { return GroupZero(layout.group, block, column(output)); });
  const std::byte* const scales = block + GroupSideOffset(layout.group);
  std::memcpy(&matrix->scales[static_cast<size_t>(g * layout.n + w * kPerWord)],
              scales + static_cast<size_t>(column(0)) * sizeof(uint16_t),
              kPerWord * sizeof(uint16_t));
}

}  // namespace

AwqMatrix ToAwqMatrix(const PackedLayout& layout, const std::byte* data) {
  OCTAVO_CHECK(NotForAwq(layout) == nullptr);
  const int64_t words = layout.n / kPerWord;
  const int64_t groups = layout.k / layout.group.group_size;
  AwqMatrix matrix;
  matrix.qweight.resize(static_cast<size_t>(layout.k * words));
  matrix.qzeros.resize(static_cast<size_t>(groups * words));
  matrix.scales.resize(static_cast<size_t>(groups * layout.n));
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t w = 0; w < words; ++w) PlaceWord(layout, data, w, g, &matrix);
  }
  return matrix;
}

}  // namespace octavo
