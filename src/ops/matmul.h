// Matmul: y = x w^T (+ bias) (+ y), for any packed weight and any number of rows.
#ifndef OCTAVO_OPS_MATMUL_H_
#define OCTAVO_OPS_MATMUL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/context.h"
#include "ops/packed_weight.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

enum class MatmulPrecision {
  kF32,   // activations f32, weights widened exactly, f32 sums: the parity gate
  kBF16,  // activations rounded to bf16; bf16 dot products where the CPU has them, else f32
          // arithmetic on the same rounded numbers; f32 sums. Weights of other formats run as kF32.
  kInt8,  // quantised weights: activations rounded to 8 bits by row and group of the weight, exact
          // integer products by group (kernels/packed_gemm.h). Weights of float formats run as
          // kF32.
  kInt16,  // the same with 16 bits: an error of about 2e-5 instead of 6e-3 of the result's size
};

// Whether activations of quantised weights are rounded to integers.
constexpr bool IsInteger(MatmulPrecision precision) {
  return precision == MatmulPrecision::kInt8 || precision == MatmulPrecision::kInt16;
}

// How often a table that sums in 16 bits had to take its slower way, of all pieces of products.
// Threads add in cells of their own: in one cell, two threads spent 3 % of a decode step waiting.
class MatmulCounts {
 public:
  void Add(int thread, int64_t pieces, int64_t safe_pieces) {
    Cell& cell = cells_[static_cast<size_t>(thread) % cells_.size()];
    cell.pieces.fetch_add(pieces, std::memory_order_relaxed);
    cell.safe_pieces.fetch_add(safe_pieces, std::memory_order_relaxed);
  }
  int64_t pieces() const { return Sum(&Cell::pieces); }
  int64_t safe_pieces() const { return Sum(&Cell::safe_pieces); }

 private:
  struct alignas(64) Cell {
    std::atomic<int64_t> pieces{0};
    std::atomic<int64_t> safe_pieces{0};
  };
  int64_t Sum(std::atomic<int64_t> Cell::*count) const {
    int64_t sum = 0;
    for (const Cell& cell : cells_) sum += (cell.*count).load(std::memory_order_relaxed);
    return sum;
  }
  std::array<Cell, 32> cells_;
};

struct MatmulOptions {
  const float* bias = nullptr;  // [N] or none
  bool accumulate = false;      // add to y instead of replacing it (residual connections)
  MatmulPrecision precision = MatmulPrecision::kF32;
  MatmulCounts* counts = nullptr;  // kInt8: added to
};

// x: [M, K] f32, y: [M, N] f32; y may not overlap x. M from 1 (decode) to thousands (encode).
// The order of summation of an output element depends on K, the weight format, the precision and
// the kernel table only: not on M, on the row's place in the batch or on threads; for quantised
// weights with kInt8 and kInt16 not on the table either. In f32, quantised weights count as the f32
// numbers (q - zero) * scale. One pass over the weights whatever M is small; rows are blocked when
// M is large.
void Matmul(const Context& context, ConstFloatMatrix x, const PackedWeight& w, FloatMatrix y,
            const MatmulOptions& options) noexcept;

// One of several products of the same activations.
struct MatmulPart {
  const PackedWeight* w = nullptr;
  FloatMatrix y;
  MatmulOptions options;
};
inline constexpr size_t kMaxMatmulParts = 4;

// Matmul of each part, the same bits; parts that run in integers of one size with groups of one
// size are quantised for and spread over the threads together. REQUIRES: at most kMaxMatmulParts;
// no y overlaps x or another y.
void MatmulEach(const Context& context, ConstFloatMatrix x,
                std::span<const MatmulPart> parts) noexcept;

// Bytes of per-thread scratch that Matmul needs for weights with K up to max_k.
size_t MatmulScratchBytes(int64_t max_k);

// Bytes of the workspace's arena that one Matmul takes while it runs: with kInt8 and kInt16 only.
size_t MatmulArenaBytes(int64_t max_rows, int64_t max_k, MatmulPrecision precision);

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_MATMUL_H_
