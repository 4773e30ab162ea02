#include "quantize/gptq_factor.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/matmul.h"
#include "ops/packed_weight.h"

namespace octavo {
namespace {

constexpr int64_t kBlock = 128;
constexpr int64_t kRowGrain = 16;

// Columns [begin, begin + size) of rows from `begin` on less what the columns before them explain.
void SubtractBefore(const ops::Context& context, FloatMatrix a, int64_t begin, int64_t size) {
  if (begin == 0) return;
  const int64_t rows = a.rows - begin;
  AlignedBuffer<float> top(static_cast<size_t>(size * begin));
  for (int64_t r = 0; r < size; ++r) {
    std::copy_n(a.row(begin + r), begin, top.data() + r * begin);
  }
  const TensorView view = {reinterpret_cast<const std::byte*>(top.data()), DType::kF32,
                           Shape{size, begin}};
  const ops::PackedWeight weight = ops::PackedWeight::Pack(context, view, size, begin);
  AlignedBuffer<float> products(static_cast<size_t>(rows * size));
  ops::Matmul(context, ConstFloatMatrix(a.data + begin * a.row_stride, rows, begin, a.row_stride),
              weight, {products.data(), rows, size}, {});
  context.pool->ParallelFor(rows, kRowGrain, [&](int64_t first, int64_t last, int) {
    for (int64_t r = first; r < last; ++r) {
      float* const line = a.row(begin + r) + begin;
      for (int64_t i = 0; i < size; ++i) line[i] -= products[static_cast<size_t>(r * size + i)];
    }
  });
}

// Element [r][c] of L, c within the block that begins at `begin`, whose columns before c are done.
double Remainder(FloatMatrix a, int64_t r, int64_t c, int64_t begin) {
  double sum = static_cast<double>(a.row(r)[c]);
  const float* const x = a.row(r);
  const float* const y = a.row(c);
  for (int64_t i = begin; i < c; ++i) sum -= static_cast<double>(x[i]) * static_cast<double>(y[i]);
  return sum;
}

// Elements [r][begin, end) of L, whose rows before r are done.
void SolveRow(FloatMatrix a, int64_t r, int64_t begin, int64_t end) {
  for (int64_t c = begin; c < end; ++c) {
    a.row(r)[c] = static_cast<float>(Remainder(a, r, c, begin) / static_cast<double>(a.row(c)[c]));
  }
}

// The lower triangle of a becomes L of a = L L^T. False: a pivot is not above 0.
bool Cholesky(const ops::Context& context, FloatMatrix a) {
  for (int64_t begin = 0; begin < a.rows; begin += kBlock) {
    const int64_t size = std::min(kBlock, a.rows - begin);
    const int64_t end = begin + size;
    SubtractBefore(context, a, begin, size);
    for (int64_t r = begin; r < end; ++r) {
      SolveRow(a, r, begin, r);
      const double pivot = Remainder(a, r, r, begin);
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      a.row(r)[r] = static_cast<float>(std::sqrt(pivot));
    }
    context.pool->ParallelFor(a.rows - end, kRowGrain, [&](int64_t first, int64_t last, int) {
      for (int64_t r = end + first; r < end + last; ++r) SolveRow(a, r, begin, end);
    });
  }
  return true;
}

}  // namespace

AlignedBuffer<float> InputProducts(const ops::Context& context, ConstFloatMatrix x) {
  const int64_t k = x.cols;
  AlignedBuffer<float> columns(static_cast<size_t>(k * x.rows));
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t i = 0; i < k; ++i) columns[static_cast<size_t>(i * x.rows + r)] = x.row(r)[i];
  }
  const TensorView view = {reinterpret_cast<const std::byte*>(columns.data()), DType::kF32,
                           Shape{k, x.rows}};
  const ops::PackedWeight weight = ops::PackedWeight::Pack(context, view, k, x.rows);
  AlignedBuffer<float> products(static_cast<size_t>(k * k));
  ops::Matmul(context, {columns.data(), k, x.rows}, weight, {products.data(), k, k}, {});
  return products;
}

GptqFactor FactorInputProducts(const ops::Context& context, const AlignedBuffer<float>& products,
                               int64_t k, double damping, bool is_ordered) {
  OCTAVO_CHECK(products.size() == static_cast<size_t>(k * k) && damping > 0);
  const auto diagonal = [&](int64_t i) { return products[static_cast<size_t>(i * k + i)]; };
  double mean = 0;
  for (int64_t i = 0; i < k; ++i) mean += static_cast<double>(diagonal(i)) / static_cast<double>(k);
  if (!(mean > 0)) mean = 1;

  GptqFactor factor;
  factor.k = k;
  factor.is_ordered = is_ordered;
  factor.order.resize(static_cast<size_t>(k));
  std::iota(factor.order.begin(), factor.order.end(), 0);
  if (is_ordered) {
    std::stable_sort(factor.order.begin(), factor.order.end(),
                     [&](int32_t a, int32_t b) { return diagonal(a) > diagonal(b); });
  }
  factor.rows = AlignedBuffer<float>(products.size());
  if (!std::isfinite(mean)) {
    std::fill(factor.rows.data(), factor.rows.data() + factor.rows.size(), 0.0f);
    return factor;
  }
  // From the last place to the first, so that an ordinary Cholesky factor is the upper one wanted.
  AlignedBuffer<float> flipped(products.size());
  const FloatMatrix a(flipped.data(), k, k);
  const auto column = [&](int64_t i) {
    return static_cast<int64_t>(factor.order[static_cast<size_t>(k - 1 - i)]);
  };
  for (double share = damping;; share *= 10) {
    context.pool->ParallelFor(k, kRowGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const float* const line = products.data() + column(i) * k;
        for (int64_t j = 0; j < k; ++j) a.row(i)[j] = line[column(j)];
        a.row(i)[i] += static_cast<float>(share * mean);
      }
    });
    if (Cholesky(context, a)) break;
    OCTAVO_CHECK(share < 1e30, "no factor of finite products");
  }
  context.pool->ParallelFor(k, kRowGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      float* const line = factor.rows.data() + i * k;
      std::fill(line, line + k, 0.0f);
      const int64_t place = k - 1 - i;
      for (int64_t j = 0; j < i; ++j) line[j] = a.row(k - 1 - j)[place] / a.row(place)[place];
    }
  });
  return factor;
}

}  // namespace octavo
