// The part of Matmul that runs packed weights with activations quantised to 8 bits; for matmul.cc.
#ifndef OCTAVO_OPS_MATMUL_INT8_H_
#define OCTAVO_OPS_MATMUL_INT8_H_

#include "ops/matmul.h"

namespace octavo::ops {

// REQUIRES: shapes fit, w is quantised, scratch and arena have what the two functions below say.
void MatmulInt8(const Context& context, ConstFloatMatrix x, const PackedWeight& w, FloatMatrix y,
                const MatmulOptions& options) noexcept;

// Bytes of scratch of each thread.
size_t MatmulInt8ScratchBytes();

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_MATMUL_INT8_H_
