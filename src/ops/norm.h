// LayerNorm and RMSNorm over rows; statistics in f32 with a fixed order of summation.
#ifndef OCTAVO_OPS_NORM_H_
#define OCTAVO_OPS_NORM_H_

#include "ops/context.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// y = (x - mean) / sqrt(var + eps) * weight + bias; x, y: [rows, cols]; weight, bias: [cols].
// var is the biased variance. y may be x.
void LayerNorm(const Context& context, ConstFloatMatrix x, const float* weight, const float* bias,
               float eps, FloatMatrix y) noexcept;

// y = x / sqrt(mean(x^2) + eps) * weight. y may be x.
void RmsNorm(const Context& context, ConstFloatMatrix x, const float* weight, float eps,
             FloatMatrix y) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_NORM_H_
