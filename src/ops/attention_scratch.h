// The per-thread scratch of attention: one block of queries and one span of keys.
#ifndef OCTAVO_OPS_ATTENTION_SCRATCH_H_
#define OCTAVO_OPS_ATTENTION_SCRATCH_H_

#include <cstddef>
#include <cstdint>

#include "kernels/kernel_table.h"

namespace octavo::ops {

inline constexpr int64_t kQueryLanes = 128;  // queries of a task, eight panels
inline constexpr int64_t kKeySpan = 128;     // most keys between two rescalings of the output
inline constexpr int64_t kLaneColumns = kPanelColumns;
inline constexpr float kLog2E = 1.44269504f;  // the softmax kernels take powers of two

struct AttentionScratch {
  float* maximum;     // [128]
  float* sum;         // [128]
  float* correction;  // [128]
  float* scores;      // [128 * 128]
  float* queries;     // [128 * head_dim]
  float* output;      // [128 * head_dim]
  float* keys;        // [128 * head_dim]
  float* values;      // [128 * head_dim]

  AttentionScratch(std::byte* area, int64_t head_dim) {
    float* p = reinterpret_cast<float*>(area);
    const auto take = [&p](int64_t count) {
      float* taken = p;
      p += count;
      return taken;
    };
    maximum = take(kQueryLanes);
    sum = take(kQueryLanes);
    correction = take(kQueryLanes);
    scores = take(kQueryLanes * kKeySpan);
    queries = take(kQueryLanes * head_dim);
    output = take(kQueryLanes * head_dim);
    keys = take(kKeySpan * head_dim);
    values = take(kKeySpan * head_dim);
  }
};

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_ATTENTION_SCRATCH_H_
