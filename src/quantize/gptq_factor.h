// What GPTQ needs to know of a linear layer's inputs: by how much an error in one weight is made up
// for in the weights that are rounded after it.
//
// H = x^T x over calibration rows, damped, is written as (I + U) D (I + U)^T with U strictly upper.
// Where weight j is off by e_j = w_j - w'_j, weight k > j takes e_j U[j][k]: the same updates as
// those of arXiv 2210.17323 with its factor of the inverse of H (arXiv 2307.13304, section 4.1,
// shows that they are), from one factorisation instead of three.
#ifndef OCTAVO_QUANTIZE_GPTQ_FACTOR_H_
#define OCTAVO_QUANTIZE_GPTQ_FACTOR_H_

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "ops/context.h"
#include "tensor/matrix_view.h"

namespace octavo {

struct GptqFactor {
  int64_t k = 0;
  bool is_ordered = false;     // columns of the largest inputs come first
  std::vector<int32_t> order;  // [K]: the column at each place
  // [K, K] by places: row i has U[j][i] for j < i; zeros from i on.
  AlignedBuffer<float> rows;

  ConstFloatMatrix matrix() const { return {rows.data(), k, k}; }
};

// x^T x, [K, K]; x: [M, K]. Uses context.pool, .kernels and .workspace, whose scratch is at least
// ops::MatmulScratchBytes(max(M, K)). The same bits for any number of threads, as below.
AlignedBuffer<float> InputProducts(const ops::Context& context, ConstFloatMatrix x);

// `products` as InputProducts gives them, with `damping` times the mean of its diagonal added to
// the diagonal; damping is made ten times as large until the factorisation succeeds. With
// `is_ordered` columns are taken in descending order of the diagonal, equal ones as they stand.
// Inputs that were always 0 make up for nothing; nor does any where squares pass the range of f32.
GptqFactor FactorInputProducts(const ops::Context& context, const AlignedBuffer<float>& products,
                               int64_t k, double damping, bool is_ordered);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_GPTQ_FACTOR_H_
