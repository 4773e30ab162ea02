#include "ops/activation.h"

#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/row_grain.h"

namespace octavo::ops {
namespace {

void MapRows(const Context& context, FloatMatrix x, void (*kernel)(float*, int64_t)) {
  context.pool->ParallelFor(x.rows, RowGrain(x.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) kernel(x.row(r), x.cols);
  });
}

}  // namespace

void QuickGelu(const Context& context, FloatMatrix x) noexcept {
  MapRows(context, x, context.kernels->quick_gelu);
}

void Gelu(const Context& context, FloatMatrix x) noexcept {
  MapRows(context, x, context.kernels->gelu);
}

void SiluMultiply(const Context& context, FloatMatrix gate, ConstFloatMatrix up) noexcept {
  OCTAVO_CHECK(gate.rows == up.rows && gate.cols == up.cols, gate.rows, " x ", gate.cols, ", ",
               up.rows, " x ", up.cols);
  const auto kernel = context.kernels->silu_multiply;
  context.pool->ParallelFor(gate.rows, RowGrain(gate.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) kernel(gate.row(r), up.row(r), gate.cols);
  });
}

}  // namespace octavo::ops
