// Attention: full over the patches of one image (vision), causal over paged keys and values (text).
// Online softmax; scores are never materialised.
#ifndef OCTAVO_OPS_ATTENTION_H_
#define OCTAVO_OPS_ATTENTION_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "ops/context.h"
#include "ops/kv_layer.h"
#include "tensor/matrix_view.h"

namespace octavo::ops {

// Every row of a segment attends to every row of the same segment and to no other.
struct FullAttentionArgs {
  ConstFloatMatrix q, k, v;  // [rows, num_heads * head_dim], rotary applied to q and k
  FloatMatrix out;           // [rows, num_heads * head_dim]; may be exactly q, else no overlap
  int num_heads = 0;
  int head_dim = 0;                     // any; 64 and 80 are the tuned ones
  float scale = 0;                      // usually 1 / sqrt(head_dim)
  std::span<const int64_t> cu_seqlens;  // segment starts and the end: 0 = c0 <= c1 <= … = rows
};

// Keys and values of the heads that are being worked on, each in one piece: rows of a matrix lie
// pages apart. As many heads of one segment as fit a few megabytes, at least one. Lives as long as
// the tasks of one FullAttentionArgs are under way.
class F32Heads {
 public:
  F32Heads() = default;
  // For segments of at most `longest` rows. Throws std::bad_alloc.
  F32Heads(int num_heads, int head_dim, int64_t longest);
  // Bytes that such an object holds.
  static size_t Bytes(int num_heads, int head_dim, int64_t longest);

  // Forgets what is packed: to be called when keys or values have changed.
  void Clear() { packed_segment_ = -1; }

  int heads_per_group() const { return heads_per_group_; }
  const float* keys(int64_t head_in_group) const;    // [rows][head_dim]
  const float* values(int64_t head_in_group) const;  // [rows][head_dim]
  // Packs the group of `head` in the segment unless that is what is here.
  void Pack(const Context& context, const FullAttentionArgs& args, int64_t segment, int64_t head);

 private:
  int head_dim_ = 0;
  int64_t longest_ = 0;
  int heads_per_group_ = 0;
  int64_t packed_segment_ = -1;
  int64_t packed_group_ = 0;
  AlignedBuffer<float> storage_;  // [head][keys, values][longest][head_dim]
};

// The work falls into tasks (one head, one block of queries) that may run in any order and in
// several calls, so that a caller can stop in between. The result does not depend on the split; in
// ascending order each head is packed once.
int64_t FullAttentionTasks(const FullAttentionArgs& args) noexcept;
void FullAttention(const Context& context, const FullAttentionArgs& args, F32Heads* heads,
                   int64_t first_task, int64_t num_tasks) noexcept;

// Stops the program where matrices do not fit the heads, or the scratch is too small.
void CheckFullAttention(const Context& context, const FullAttentionArgs& args);

// Causal attention of the new tokens over everything cached of their own sequence, themselves
// included (call AppendKv first). q, out: [rows, num_heads * head_dim]; query head h uses key/value
// head h / (num_heads / num_kv_heads). Results depend neither on chunking nor on other sequences.
void PagedAttention(const Context& context, const KvLayer& layer,
                    std::span<const KvSequence> sequences, float scale, ConstFloatMatrix q,
                    FloatMatrix out) noexcept;

// Bytes of per-thread scratch for heads of this size.
size_t AttentionScratchBytes(int head_dim);

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_ATTENTION_H_
