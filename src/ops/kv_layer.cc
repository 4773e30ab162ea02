#include "ops/kv_layer.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/thread_pool.h"
#include "tensor/float16.h"

namespace octavo::ops {
namespace {

constexpr int kMostKeysBetweenRescalings = 128;
constexpr float kRange = 127;

// `count` numbers of one token, one every `stride` elements of `to`.
void StoreNumbers(DType dtype, const float* x, int64_t count, int64_t stride, std::byte* to) {
  auto* const halves = reinterpret_cast<uint16_t*>(to);
  for (int64_t c = 0; c < count; ++c) {
    if (dtype == DType::kF32) {
      reinterpret_cast<float*>(to)[c * stride] = x[c];
    } else if (dtype == DType::kBF16) {
      halves[c * stride] = ToBFloat16(x[c]).bits;
    } else {
      halves[c * stride] = ToFloat16(x[c]).bits;
    }
  }
}

// The same in 8 bits; returns their scale, which is not finite where a number is not.
float StoreBytes(const float* x, int64_t count, int64_t stride, int8_t* to) {
  float greatest = 0;
  for (int64_t c = 0; c < count; ++c) {
    if (!std::isfinite(x[c])) greatest = std::nanf("");
    greatest = std::fabs(x[c]) > greatest ? std::fabs(x[c]) : greatest;
  }
  const float scale = greatest / kRange;
  for (int64_t c = 0; c < count; ++c) {
    // A quotient may pass 127 by rounding where the scale is denormal.
    const float q = scale > 0 ? std::nearbyint(x[c] / scale) : 0;
    to[c * stride] = static_cast<int8_t>(std::clamp(q, -kRange, kRange));
  }
  return scale;
}

// One token's keys, or values, of one head.
void StoreToken(const KvLayer& layer, const float* x, int64_t slot, bool is_key, std::byte* head) {
  const int64_t dim = layer.head_dim;
  const int64_t size = layer.block_size;
  const int64_t first = is_key ? slot : slot * dim;
  const int64_t stride = is_key ? size : 1;
  if (layer.dtype == DType::kI8) {
    auto* const scales = reinterpret_cast<float*>(head + size * dim);
    scales[slot] = StoreBytes(x, dim, stride, reinterpret_cast<int8_t*>(head) + first);
  } else {
    const auto element = static_cast<int64_t>(DTypeSize(layer.dtype));
    StoreNumbers(layer.dtype, x, dim, stride, head + first * element);
  }
}

// One token's keys and values of all heads.
void StoreHeads(const KvLayer& layer, int64_t block, int64_t slot, const float* k, const float* v) {
  for (int64_t h = 0; h < layer.num_kv_heads; ++h) {
    const size_t head = KvHeadOffset(layer, block, h);
    const int64_t column = h * layer.head_dim;
    StoreToken(layer, k + column, slot, true, layer.keys + head);
    StoreToken(layer, v + column, slot, false, layer.values + head);
  }
}

}  // namespace

bool IsKvDType(DType dtype) noexcept {
  return dtype == DType::kF32 || dtype == DType::kBF16 || dtype == DType::kF16 ||
         dtype == DType::kI8;
}

size_t KvHeadBytes(DType dtype, int head_dim, int block_size) noexcept {
  const size_t numbers = static_cast<size_t>(head_dim) * DTypeSize(dtype);
  return static_cast<size_t>(block_size) *
         (numbers + (dtype == DType::kI8 ? sizeof(float) : size_t{0}));
}

void CheckKvLayer(const KvLayer& layer) {
  OCTAVO_CHECK(IsKvDType(layer.dtype), DTypeName(layer.dtype));
  OCTAVO_CHECK(layer.block_size > 0 && kMostKeysBetweenRescalings % layer.block_size == 0,
               layer.block_size);
  OCTAVO_CHECK(layer.dtype != DType::kI8 || layer.block_size * layer.head_dim % 4 == 0,
               layer.block_size, " x ", layer.head_dim);
}

void AppendKv(const Context& context, const KvLayer& layer, std::span<const KvSequence> sequences,
              ConstFloatMatrix k, ConstFloatMatrix v) noexcept {
  CheckKvLayer(layer);
  OCTAVO_CHECK(k.cols == int64_t{layer.num_kv_heads} * layer.head_dim && v.cols == k.cols, k.cols);
  for (const KvSequence& sequence : sequences) {
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, k.cols));
    context.pool->ParallelFor(sequence.num_new, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t position = sequence.num_cached + i;
        const int64_t block =
            sequence.block_table[static_cast<size_t>(position / layer.block_size)];
        const int64_t slot = position % layer.block_size;
        const int64_t row = sequence.first_row + i;
        StoreHeads(layer, block, slot, k.row(row), v.row(row));
      }
    });
  }
}

}  // namespace octavo::ops
