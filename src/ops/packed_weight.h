// PackedWeight: a weight matrix in the order matmul reads it.
#ifndef OCTAVO_OPS_PACKED_WEIGHT_H_
#define OCTAVO_OPS_PACKED_WEIGHT_H_

#include <cstddef>
#include <cstdint>

#include "base/aligned_buffer.h"
#include "ops/context.h"
#include "tensor/tensor.h"

namespace octavo::ops {

// How weights are kept in memory; arithmetic is chosen by Matmul's MatmulPrecision.
enum class WeightFormat { kF32, kF16, kBF16 };

// w: [N, K], as in y = x w^T. Panels of 16 output columns; inside a panel k runs slowest, so that
// one vector register holds 16 columns of one k (bf16: of a pair of k). N is padded to the panel
// with zeros, K is not. The stored numbers are the checkpoint's, exactly.
class PackedWeight {
 public:
  PackedWeight() = default;
  // REQUIRES: weight is F32, F16 or BF16 and has N * K elements (any rank: [N, ...] flattens to K).
  // Uses the pool. Throws std::bad_alloc.
  static PackedWeight Pack(const Context& context, const TensorView& weight, int64_t n, int64_t k);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }
  WeightFormat format() const { return format_; }
  size_t size_bytes() const { return data_.size(); }
  const std::byte* data() const { return data_.data(); }

  // Row `n_index` of the matrix widened to f32; out: [K]. For embedding lookup from a tied head.
  void UnpackRow(int64_t n_index, float* out) const;

 private:
  int64_t n_ = 0;
  int64_t k_ = 0;
  WeightFormat format_ = WeightFormat::kF32;
  AlignedBuffer<std::byte> data_;
};

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_PACKED_WEIGHT_H_
