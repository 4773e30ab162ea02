// PackedLayout: how a weight matrix lies in memory in the order in which matmul reads it.
//
// w: [N, K], as in y = x w^T. Panels of 16 output columns follow each other; the last one is filled
// up. Inside a panel of a float format k runs slowest, so that one vector register holds 16 columns
// of one k; bf16 has pairs of k side by side, an odd K being filled up. Quantised formats hold the
// blocks of tensor/group_layout.h. Filling is zero. Little-endian, from a 64-byte boundary on.
#ifndef OCTAVO_TENSOR_PACKED_LAYOUT_H_
#define OCTAVO_TENSOR_PACKED_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tensor/dtype.h"
#include "tensor/group_layout.h"
#include "tensor/tensor.h"

namespace octavo {

enum class WeightFormat { kF32, kF16, kBF16, kW4, kW8 };

struct PackedLayout {
  WeightFormat format = WeightFormat::kF32;
  int64_t n = 0;
  int64_t k = 0;
  GroupLayout group = {};  // kW4 and kW8 only; else as it is by default

  // REQUIRES: dtype is F32, F16 or BF16.
  static PackedLayout Float(DType dtype, int64_t n, int64_t k);
  static PackedLayout Quantized(const GroupLayout& group, int64_t n, int64_t k);

  bool is_quantized() const { return format == WeightFormat::kW4 || format == WeightFormat::kW8; }
  // Of the numbers that it stands for: its own, or F32 for quantised ones.
  DType unpacked_dtype() const;
  // Elements of a column as stored (float formats).
  int64_t stored_k() const { return format == WeightFormat::kBF16 ? (k + 1) / 2 * 2 : k; }
  int64_t num_panels() const { return (n + kPanelColumns - 1) / kPanelColumns; }
  // "F32", "BF16", "W4 g128", "W8 g64", "W8 g128 +-63".
  std::string Describe() const;

  bool operator==(const PackedLayout&) const = default;
};

// Why no matrix can lie this way, in a few words; null if one can. Everything below REQUIRES that.
const char* InvalidPackedLayout(const PackedLayout& layout) noexcept;

size_t PackedPanelBytes(const PackedLayout& layout) noexcept;
size_t PackedBytes(const PackedLayout& layout) noexcept;

// Packs the rows [16 panel, 16 panel + 16) that a matrix of the layout's float format has.
// weight: [N, K] (any rank that flattens to it). out: PackedPanelBytes.
void PackFloatPanel(const PackedLayout& layout, const TensorView& weight, int64_t panel,
                    std::byte* out) noexcept;

// Row 0 <= row < N widened to f32, quantised ones as (q - zero) * scale rounded once. out: [K].
void UnpackPackedRow(const PackedLayout& layout, const std::byte* data, int64_t row,
                     float* out) noexcept;

}  // namespace octavo

#endif  // OCTAVO_TENSOR_PACKED_LAYOUT_H_
