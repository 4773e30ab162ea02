// AWQ's two searches on linear layers that read the same inputs: factors for the inputs' columns,
// and bounds for the weights of each group.
//
// Method: arXiv 2306.00978; grids as casper-hansen/AutoAWQ awq/quantize/quantizer.py has them.
// Errors are measured at the outputs of the linear layers themselves, relative to their size, and
// factors of 1 take part, so that the result is never worse there than rounding to nearest.
#ifndef OCTAVO_QUANTIZE_AWQ_SEARCH_H_
#define OCTAVO_QUANTIZE_AWQ_SEARCH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "ops/context.h"
#include "quantize/linear_inputs.h"
#include "quantize/searched_linear.h"
#include "tensor/packed_layout.h"

namespace octavo {

// Uses context.pool, .kernels and .workspace, whose scratch is at least
// ops::MatmulScratchBytes(largest K). The same bits for any number of threads.
class AwqSearch {
 public:
  explicit AwqSearch(const ops::Context& context) : context_(context) {}

  // Factors [K] for the columns of all linears, the best of 21 tries; empty if 1 is the best.
  // Columns i, j with channels[i] == channels[j] get the same factor; channels: [K], or empty:
  // every column its own. REQUIRES: all have K = inputs.k and inputs have rows.
  std::vector<float> FindScales(const LinearInputs& inputs, std::span<const SearchedLinear> linears,
                                std::span<const int32_t> channels) const;

  // Bounds [N, K / group size] of |w| for weights that are scaled already, the best of 10 tries
  // for each group; rows before `first_row` keep theirs. scales: of the inputs' columns, or empty.
  std::vector<float> FindClip(const LinearInputs& inputs, std::span<const float> scales,
                              const SearchedLinear& linear, int64_t first_row) const;

  // |x (w' - w)^T|^2 / |x w^T|^2 of `changed` against `linear`, both [N, K]; 0 for outputs of
  // zeros.
  double OutputError(const LinearInputs& inputs, const SearchedLinear& linear,
                     const AlignedBuffer<float>& changed) const;

  // Every group rounded and widened again, in place.
  void Round(const PackedLayout& layout, AlignedBuffer<float>* weights) const;

 private:
  // Sum of squares of x w^T.
  double Energy(const LinearInputs& inputs, int64_t n, const AlignedBuffer<float>& w) const;
  // w' - w of weights rounded with factors.
  AlignedBuffer<float> ScaledError(const SearchedLinear& linear,
                                   std::span<const float> scales) const;

  const ops::Context& context_;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_AWQ_SEARCH_H_
