#include "ops/rope.h"

#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/row_grain.h"

namespace octavo::ops {

void ApplyRotary(const Context& context, FloatMatrix x, int num_heads, int head_dim,
                 ConstFloatMatrix cos, ConstFloatMatrix sin) noexcept {
  OCTAVO_CHECK(x.cols == int64_t{num_heads} * head_dim && head_dim % 2 == 0, x.cols, " columns, ",
               num_heads, " heads of ", head_dim);
  OCTAVO_CHECK(cos.rows == x.rows && sin.rows == x.rows && cos.cols == head_dim / 2 &&
                   sin.cols == head_dim / 2,
               cos.rows, " x ", cos.cols);
  const auto kernel = context.kernels->rotary;
  context.pool->ParallelFor(x.rows, RowGrain(x.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) {
      for (int64_t h = 0; h < num_heads; ++h) {
        kernel(x.row(r) + h * head_dim, cos.row(r), sin.row(r), head_dim / 2);
      }
    }
  });
}

}  // namespace octavo::ops
