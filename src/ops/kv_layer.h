// The storage of one layer's keys and values in blocks, and what goes into it.
#ifndef OCTAVO_OPS_KV_LAYER_H_
#define OCTAVO_OPS_KV_LAYER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "ops/context.h"
#include "tensor/dtype.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// One layer's cache storage: blocks of heads, of each head its values as [block_size, head_dim],
// its keys as [head_dim, block_size], so that tokens fill the lanes of a vector.
//
// kI8: a number is q * scale, q within +-127; a scale is the greatest magnitude of one token's keys
// (or values) in the head, divided by 127. The block's f32 scales [block_size] follow its numbers.
struct KvLayer {
  std::byte* keys = nullptr;
  std::byte* values = nullptr;
  DType dtype = DType::kF32;  // kF32, kBF16, kF16 or kI8
  int num_kv_heads = 0;
  int head_dim = 0;
  int block_size = 0;  // tokens in a block; at most 128 and a divisor of it
};

// The part of one sequence in a step.
struct KvSequence {
  std::span<const int32_t> block_table;  // block of tokens [i * block_size, (i + 1) * block_size)
  int64_t num_cached = 0;                // tokens in the cache before this step
  int64_t num_new = 0;                   // tokens of this step
  int64_t first_row = 0;                 // their rows in q, k, v and out
};

bool IsKvDType(DType dtype) noexcept;

// Bytes of the keys (or values) of one head in one block. REQUIRES: IsKvDType(dtype).
size_t KvHeadBytes(DType dtype, int head_dim, int block_size) noexcept;

// Where the keys (or values) of a head in a block begin, in bytes.
inline size_t KvHeadOffset(const KvLayer& layer, int64_t block, int64_t kv_head) noexcept {
  return static_cast<size_t>(block * layer.num_kv_heads + kv_head) *
         KvHeadBytes(layer.dtype, layer.head_dim, layer.block_size);
}

// Stops the program where a layer is not as KvLayer says.
void CheckKvLayer(const KvLayer& layer);

// Stores the new tokens' keys (rotary applied) and values. k, v: [rows, num_kv_heads * head_dim].
void AppendKv(const Context& context, const KvLayer& layer, std::span<const KvSequence> sequences,
              ConstFloatMatrix k, ConstFloatMatrix v) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_KV_LAYER_H_
