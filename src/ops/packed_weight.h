// PackedWeight: a weight matrix in the order matmul reads it (tensor/packed_layout.h).
#ifndef OCTAVO_OPS_PACKED_WEIGHT_H_
#define OCTAVO_OPS_PACKED_WEIGHT_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/aligned_buffer.h"
#include "ops/context.h"
#include "tensor/packed_layout.h"
#include "tensor/tensor.h"

namespace octavo::ops {

using octavo::WeightFormat;

// w: [N, K], as in y = x w^T; arithmetic is chosen by Matmul's MatmulPrecision. The stored numbers
// are the checkpoint's, exactly. Movable; immutable once made.
class PackedWeight {
 public:
  PackedWeight() = default;

  // REQUIRES: weight is F32, F16 or BF16 and has N * K elements (any rank: [N, ...] flattens to K).
  // Uses the pool. Throws std::bad_alloc.
  static PackedWeight Pack(const Context& context, const TensorView& weight, int64_t n, int64_t k);

  // Reads PackedBytes(layout) bytes where they are; `owner` keeps them alive (a mapped file).
  // REQUIRES: data is 64-byte aligned, the layout is valid, and groups keep the ranges that it
  // promises.
  static PackedWeight Borrow(const PackedLayout& layout, const std::byte* data,
                             std::shared_ptr<const void> owner);

  int64_t n() const { return layout_.n; }
  int64_t k() const { return layout_.k; }
  WeightFormat format() const { return layout_.format; }
  const PackedLayout& layout() const { return layout_; }
  size_t size_bytes() const { return data_ == nullptr ? 0 : PackedBytes(layout_); }
  const std::byte* data() const { return data_; }

  // Row `n_index` of the matrix widened to f32; out: [K]. For embedding lookup from a tied head.
  void UnpackRow(int64_t n_index, float* out) const;

 private:
  // Room for a matrix of this layout; `data` is where to write it.
  PackedWeight(const PackedLayout& layout, std::byte** data);

  PackedLayout layout_;
  const std::byte* data_ = nullptr;
  AlignedBuffer<std::byte> own_;
  std::shared_ptr<const void> owner_;
};

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_PACKED_WEIGHT_H_
