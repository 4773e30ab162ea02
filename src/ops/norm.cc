#include "ops/norm.h"

#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/row_grain.h"

namespace octavo::ops {

void LayerNorm(const Context& context, ConstFloatMatrix x, const float* weight, const float* bias,
               float eps, FloatMatrix y) noexcept {
  OCTAVO_CHECK(x.rows == y.rows && x.cols == y.cols, x.rows, " x ", x.cols, ", ", y.rows, " x ",
               y.cols);
  const auto kernel = context.kernels->layer_norm;
  context.pool->ParallelFor(x.rows, RowGrain(x.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) kernel(x.row(r), weight, bias, eps, x.cols, y.row(r));
  });
}

void RmsNorm(const Context& context, ConstFloatMatrix x, const float* weight, float eps,
             FloatMatrix y) noexcept {
  OCTAVO_CHECK(x.rows == y.rows && x.cols == y.cols, x.rows, " x ", x.cols, ", ", y.rows, " x ",
               y.cols);
  const auto kernel = context.kernels->rms_norm;
  context.pool->ParallelFor(x.rows, RowGrain(x.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) kernel(x.row(r), weight, eps, x.cols, y.row(r));
  });
}

}  // namespace octavo::ops
