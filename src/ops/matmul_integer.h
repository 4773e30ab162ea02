// The part of Matmul that runs packed weights with activations quantised to 8 or 16 bits; for
// matmul.cc.
#ifndef OCTAVO_OPS_MATMUL_INTEGER_H_
#define OCTAVO_OPS_MATMUL_INTEGER_H_

#include "ops/matmul.h"

namespace octavo::ops {

// REQUIRES: 1 to kMaxMatmulParts parts, whose shapes fit, whose weights are quantised in groups of
// one size, whose precision is the same, kInt8 or kInt16; scratch and arena have what the two
// functions below say.
void MatmulInteger(const Context& context, ConstFloatMatrix x,
                   std::span<const MatmulPart> parts) noexcept;

// Bytes of scratch of each thread.
size_t MatmulIntegerScratchBytes();

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_MATMUL_INTEGER_H_
