// Double-precision oracles of the kernels, with the size of what was summed, so that a bound can be
// given as a number of roundings. Linked by tests only.
#ifndef OCTAVO_KERNELS_REFERENCE_H_
#define OCTAVO_KERNELS_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "kernels/packed_gemm.h"
#include "tensor/group_layout.h"

namespace octavo {

// A result and the sum of the magnitudes of what went into it.
struct Reference {
  double value = 0;
  double magnitude = 0;
};

// sum over i of x[i * x_stride] * w[i * w_stride].
Reference ReferenceDot(const float* x, int64_t x_stride, const float* w, int64_t w_stride,
                       int64_t k);

std::vector<Reference> ReferenceLayerNorm(const std::vector<float>& x,
                                          const std::vector<float>& weight,
                                          const std::vector<float>& bias, float eps);
std::vector<Reference> ReferenceRmsNorm(const std::vector<float>& x,
                                        const std::vector<float>& weight, float eps);

double ReferenceQuickGelu(double x);
double ReferenceGelu(double x);
double ReferenceSilu(double x);

// Running state of one query's softmax to base 2; differences of scores are rounded to f32.
struct ReferenceSoftmax {
  double maximum;
  double sum;
  double correction = 0;

  // The powers of one block of scores; updates the state.
  std::vector<double> Add(const std::vector<float>& scores);
};

// Quantised activations of one row, straight from the definition in packed_gemm.h.
struct ReferenceActivations {
  std::vector<int8_t> q;
  std::vector<ActivationGroup> groups;
};
ReferenceActivations ReferenceQuantize(const std::vector<float>& x, int group_size);

// The same in 16 bits, q in the order of k.
struct ReferenceActivations16 {
  std::vector<int16_t> q;
  std::vector<float> scales;
};
ReferenceActivations16 ReferenceQuantize16(const std::vector<float>& x, int group_size);

// Goes on from `sum` over all groups of one row and one column of a packed matrix [.., k]; the bits
// that every table has to give.
float ReferencePackedProduct(const ReferenceActivations& x, const GroupLayout& layout,
                             const std::byte* matrix, int64_t k, int64_t column, float sum);
float ReferencePackedProduct(const ReferenceActivations16& x, const GroupLayout& layout,
                             const std::byte* matrix, int64_t k, int64_t column, float sum);

}  // namespace octavo

#endif  // OCTAVO_KERNELS_REFERENCE_H_
