// Full attention in 16-bit integers (kernels/attention_int16.h): the arguments, tasks and promises
// of FullAttention, an error of about 0.1 %, and keys and values that are packed once per head.
#ifndef OCTAVO_OPS_FULL_ATTENTION_INT16_H_
#define OCTAVO_OPS_FULL_ATTENTION_INT16_H_

#include <cstddef>
#include <cstdint>

#include "base/aligned_buffer.h"
#include "ops/attention.h"
#include "ops/context.h"

namespace octavo::ops {

// Packed keys and values of the heads that are being worked on: as many heads of one segment as fit
// a few megabytes, at least one. Lives as long as the tasks of one FullAttentionArgs are under way.
class Int16Heads {
 public:
  Int16Heads() = default;
  // For segments of at most `longest` rows. Throws std::bad_alloc.
  Int16Heads(int num_heads, int head_dim, int64_t longest);

  // Bytes that such an object holds.
  static size_t Bytes(int num_heads, int head_dim, int64_t longest);

  // Forgets what is packed: to be called when keys or values have changed.
  void Clear() { packed_segment_ = -1; }

  // One head of the group that is packed.
  struct Head {
    int16_t* keys;       // [rows][Int16Dim]
    int16_t* values;     // [blocks][dim][128]
    float* key_scales;   // [blocks]
    float* key_sums;     // [blocks][dim], while packing
    float* largest;      // [blocks][dim] of values, while packing
    float* key_mean;     // [dim]
    float* value_scale;  // [dim]
    float* inverse;      // [dim]
  };
  Head head(int64_t index_in_group);
  int heads_per_group() const { return heads_per_group_; }

  // Packs the group of `head` in the segment unless that is what is here.
  // REQUIRES: the object was made for these heads and for rows of this many.
  void Pack(const Context& context, const FullAttentionArgs& args, int64_t segment, int64_t head);

 private:
  int head_dim_ = 0;
  int64_t longest_ = 0;
  int heads_per_group_ = 0;
  int64_t packed_segment_ = -1;
  int64_t packed_group_ = 0;
  AlignedBuffer<std::byte> storage_;
};

// Whether this is faster than FullAttention on common processors of the table.
bool PrefersInt16Attention(const KernelTable& kernels) noexcept;

// Tasks of one head and 64 queries. The result depends neither on the order of tasks nor on their
// split into calls; in ascending order each head is packed once.
int64_t FullAttentionInt16Tasks(const FullAttentionArgs& args) noexcept;
void FullAttentionInt16(const Context& context, const FullAttentionArgs& args, Int16Heads* heads,
                        int64_t first_task, int64_t num_tasks) noexcept;

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_FULL_ATTENTION_INT16_H_
