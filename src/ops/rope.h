// Rotary positions: apply tables of cosines and sines to heads.
#ifndef OCTAVO_OPS_ROPE_H_
#define OCTAVO_OPS_ROPE_H_

#include "ops/context.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// In place on x: [rows, num_heads * head_dim]; cos, sin: [rows, head_dim / 2] (model/positions
// makes them, for 2-D patches and for M-RoPE alike). Half rotation, not interleaved: (a, b) -> (a
// cos - b sin, b cos + a sin) with a = x[h][j], b = x[h][j + head_dim / 2].
void ApplyRotary(const Context& context, FloatMatrix x, int num_heads, int head_dim,
                 ConstFloatMatrix cos, ConstFloatMatrix sin) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_ROPE_H_
