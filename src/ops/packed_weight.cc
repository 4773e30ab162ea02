#include "ops/packed_weight.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "tensor/float16.h"

namespace octavo::ops {
namespace {

constexpr int64_t kColumns = kPanelColumns;

WeightFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return WeightFormat::kF32;
    case DType::kF16:
      return WeightFormat::kF16;
    case DType::kBF16:
      return WeightFormat::kBF16;
    default:
      break;
  }
  OCTAVO_CHECK(false, "weights of type ", DTypeName(dtype));
  return WeightFormat::kF32;
}

size_t ElementSize(WeightFormat format) { return format == WeightFormat::kF32 ? 4 : 2; }

// Rows of k per panel as stored: bf16 is padded to whole pairs.
int64_t StoredK(WeightFormat format, int64_t k) {
  return format == WeightFormat::kBF16 ? (k + 1) / 2 * 2 : k;
}

// Place of w[column][i] inside its panel, in elements.
int64_t PlaceInPanel(WeightFormat format, int64_t column, int64_t i) {
  if (format == WeightFormat::kBF16) return (i / 2 * kColumns + column) * 2 + i % 2;
  return i * kColumns + column;
}

// Copies one row of the matrix into its column of a panel. T holds the bits of an element; the
// source need not be aligned.
template <typename T>
void PackColumn(const std::byte* row, int64_t k, WeightFormat format, int64_t column,
                std::byte* panel) {
  T* out = reinterpret_cast<T*>(panel);
  for (int64_t i = 0; i < k; ++i) {
    T value;
    std::memcpy(&value, row + static_cast<size_t>(i) * sizeof(T), sizeof(T));
    out[PlaceInPanel(format, column, i)] = value;
  }
}

// Packs the rows [p * kColumns, (p + 1) * kColumns) of weight [n, k] that there are; the rest is 0.
void PackPanel(const TensorView& weight, int64_t n, int64_t k, int64_t p, std::byte* panel) {
  const WeightFormat format = FormatOf(weight.dtype);
  const size_t element = ElementSize(format);
  const int64_t columns = std::min(kColumns, n - p * kColumns);
  const int64_t stored_k = StoredK(format, k);
  if (columns < kColumns || stored_k != k) {
    std::memset(panel, 0, static_cast<size_t>(stored_k * kColumns) * element);
  }
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t row = p * kColumns + column;
    const std::byte* source = weight.data + static_cast<size_t>(row * k) * element;
    if (element == 4) {
      PackColumn<uint32_t>(source, k, format, column, panel);
    } else {
      PackColumn<uint16_t>(source, k, format, column, panel);
    }
  }
}

}  // namespace

PackedWeight PackedWeight::Pack(const Context& context, const TensorView& weight, int64_t n,
                                int64_t k) {
  OCTAVO_CHECK(n > 0 && k > 0 && weight.shape.num_elements() == n * k, "shape ",
               weight.shape.ToString(), ", wanted ", n, " x ", k);
  PackedWeight packed;
  packed.n_ = n;
  packed.k_ = k;
  packed.format_ = FormatOf(weight.dtype);
  const int64_t panels = (n + kColumns - 1) / kColumns;
  const size_t panel_bytes =
      static_cast<size_t>(StoredK(packed.format_, k) * kColumns) * ElementSize(packed.format_);
  packed.data_ = AlignedBuffer<std::byte>(static_cast<size_t>(panels) * panel_bytes);
  std::byte* const data = packed.data_.data();
  context.pool->ParallelFor(panels, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      PackPanel(weight, n, k, p, data + static_cast<size_t>(p) * panel_bytes);
    }
  });
  return packed;
}

void PackedWeight::UnpackRow(int64_t n_index, float* out) const {
  OCTAVO_CHECK(n_index >= 0 && n_index < n_, "row ", n_index, " of ", n_);
  const size_t panel_elements = static_cast<size_t>(StoredK(format_, k_) * kColumns);
  const std::byte* panel = data_.data() + static_cast<size_t>(n_index / kColumns) * panel_elements *
                                              ElementSize(format_);
  const int64_t column = n_index % kColumns;
  const auto* words = reinterpret_cast<const uint32_t*>(panel);
  const auto* halves = reinterpret_cast<const uint16_t*>(panel);
  for (int64_t i = 0; i < k_; ++i) {
    const int64_t place = PlaceInPanel(format_, column, i);
    switch (format_) {
      case WeightFormat::kF32:
        out[i] = std::bit_cast<float>(words[place]);
        break;
      case WeightFormat::kF16:
        out[i] = ToFloat(Float16{halves[place]});
        break;
      case WeightFormat::kBF16:
        out[i] = ToFloat(BFloat16{halves[place]});
        break;
    }
  }
}

}  // namespace octavo::ops
