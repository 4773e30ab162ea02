// Activation functions, in place over rows.
#ifndef OCTAVO_OPS_ACTIVATION_H_
#define OCTAVO_OPS_ACTIVATION_H_

#include "ops/context.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// x * sigmoid(1.702 x): the vision tower's MLP.
void QuickGelu(const Context& context, FloatMatrix x) noexcept;

// x/2 * (1 + erf(x / sqrt 2)): the merger; not the tanh approximation.
void Gelu(const Context& context, FloatMatrix x) noexcept;

// gate = silu(gate) * up, element by element; gate, up: same shape. silu(x) = x * sigmoid(x).
void SiluMultiply(const Context& context, FloatMatrix gate, ConstFloatMatrix up) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_ACTIVATION_H_
