// Arithmetic: how a model's matrix products are computed, and where they are counted.
#ifndef OCTAVO_MODEL_ARITHMETIC_H_
#define OCTAVO_MODEL_ARITHMETIC_H_

#include "ops/matmul.h"

namespace octavo {

struct Arithmetic {
  ops::MatmulPrecision precision = ops::MatmulPrecision::kF32;
  ops::MatmulCounts* counts = nullptr;

  ops::MatmulOptions Options(const float* bias, bool accumulate = false) const {
    return {.bias = bias, .accumulate = accumulate, .precision = precision, .counts = counts};
  }
};

}  // namespace octavo

#endif  // OCTAVO_MODEL_ARITHMETIC_H_
