#include "tensor/packed_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/str_cat.h"
#include "tensor/float16.h"

namespace octavo {
namespace {

constexpr int64_t kColumns = kPanelColumns;

// Of the float formats.
size_t ElementSize(WeightFormat format) { return format == WeightFormat::kF32 ? 4 : 2; }

// Place of w[column][i] inside its panel, in elements.
int64_t PlaceInPanel(WeightFormat format, int64_t column, int64_t i) {
  if (format == WeightFormat::kBF16) return (i / 2 * kColumns + column) * 2 + i % 2;
  return i * kColumns + column;
}

// Copies one row of the matrix into its column of a panel. T holds the bits of an element; the
// source need not be aligned.
template <typename T>
void PackColumn(const std::byte* row, const PackedLayout& layout, int64_t column,
                std::byte* panel) {
  T* out = reinterpret_cast<T*>(panel);
  for (int64_t i = 0; i < layout.k; ++i) {
    T value;
    std::memcpy(&value, row + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    out[PlaceInPanel(layout.format, column, i)] = value;
  }
}

void UnpackFloatRow(const PackedLayout& layout, const std::byte* panel, int64_t column,
                    float* out) {
  const auto* words = reinterpret_cast<const uint32_t*>(panel);
  const auto* halves = reinterpret_cast<const uint16_t*>(panel);
  for (int64_t i = 0; i < layout.k; ++i) {
    const int64_t place = PlaceInPanel(layout.format, column, i);
    switch (layout.format) {
      case WeightFormat::kF32:
        out[i] = std::bit_cast<float>(words[place]);
        break;
      case WeightFormat::kF16:
        out[i] = ToFloat(Float16{halves[place]});
        break;
      default:
        out[i] = ToFloat(BFloat16{halves[place]});
        break;
    }
  }
}

void UnpackGroupRow(const PackedLayout& layout, const std::byte* data, int64_t row, float* out) {
  const int group_size = layout.group.group_size;
  const auto column = static_cast<int>(row % kColumns);
  for (int64_t g = 0; g < layout.k / group_size; ++g) {
    const std::byte* block = data + GroupBlockOffset(layout.group, layout.k, row / kColumns, g);
    for (int i = 0; i < group_size; ++i) {
      out[g * group_size + i] = GroupWeight(layout.group, block, column, i);
    }
  }
}

}  // namespace

PackedLayout PackedLayout::Float(DType dtype, int64_t n, int64_t k) {
  PackedLayout layout{.n = n, .k = k};
  switch (dtype) {
    case DType::kF32:
      layout.format = WeightFormat::kF32;
      return layout;
    case DType::kF16:
      layout.format = WeightFormat::kF16;
      return layout;
    case DType::kBF16:
      layout.format = WeightFormat::kBF16;
      return layout;
    default:
      break;
  }
  OCTAVO_CHECK(false, "weights of type ", DTypeName(dtype));
  return layout;
}

PackedLayout PackedLayout::Quantized(const GroupLayout& group, int64_t n, int64_t k) {
  return {group.bits == 4 ? WeightFormat::kW4 : WeightFormat::kW8, n, k, group};
}

DType PackedLayout::unpacked_dtype() const {
  switch (format) {
    case WeightFormat::kF16:
      return DType::kF16;
    case WeightFormat::kBF16:
      return DType::kBF16;
    default:
      return DType::kF32;
  }
}

std::string PackedLayout::Describe() const {
  switch (format) {
    case WeightFormat::kF32:
      return "F32";
    case WeightFormat::kF16:
      return "F16";
    case WeightFormat::kBF16:
      return "BF16";
    case WeightFormat::kW4:
    case WeightFormat::kW8:
      break;
  }
  return StrCat("W", group.bits, " g", group.group_size, group.is_7bit ? " +-63" : "");
}

const char* InvalidPackedLayout(const PackedLayout& layout) noexcept {
  if (layout.is_quantized()) {
    const int bits = layout.format == WeightFormat::kW4 ? 4 : 8;
    if (layout.group.bits != bits) return "format and bits of a group differ";
    return InvalidGroupLayout(layout.group, layout.n, layout.k);
  }
  if (layout.n <= 0 || layout.k <= 0) return "a dimension is not positive";
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 64;
  if (layout.n > kMost || layout.k > kMost / (layout.n + kColumns)) {
    return "size does not fit 63 bits";
  }
  return nullptr;
}

size_t PackedPanelBytes(const PackedLayout& layout) noexcept {
  if (layout.is_quantized()) {
    return static_cast<size_t>(GroupMatrixBytes(layout.group, kColumns, layout.k));
  }
  return static_cast<size_t>(layout.stored_k() * kColumns) * ElementSize(layout.format);
}

size_t PackedBytes(const PackedLayout& layout) noexcept {
  return static_cast<size_t>(layout.num_panels()) * PackedPanelBytes(layout);
}

void PackFloatPanel(const PackedLayout& layout, const TensorView& weight, int64_t panel,
                    std::byte* out) noexcept {
  const size_t element = ElementSize(layout.format);
  const int64_t columns = std::min(kColumns, layout.n - panel * kColumns);
  if (columns < kColumns || layout.stored_k() != layout.k) {
    std::memset(out, 0, PackedPanelBytes(layout));
  }
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t row = panel * kColumns + column;
    const std::byte* source = weight.data + static_cast<size_t>(row * layout.k) * element;
    if (element == 4) {
      PackColumn<uint32_t>(source, layout, column, out);
    } else {
      PackColumn<uint16_t>(source, layout, column, out);
    }
  }
}

void UnpackPackedRow(const PackedLayout& layout, const std::byte* data, int64_t row,
                     float* out) noexcept {
  if (layout.is_quantized()) {
    UnpackGroupRow(layout, data, row, out);
  } else {
    const int64_t panel = row / kColumns;
    UnpackFloatRow(layout, data + static_cast<size_t>(panel) * PackedPanelBytes(layout),
                   row % kColumns, out);
  }
}

}  // namespace octavo
