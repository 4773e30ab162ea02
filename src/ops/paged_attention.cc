// Causal attention over paged keys and values. Two forms give the same bits: prompts put queries
// into vector lanes; single tokens put keys, then channels there, so that no lane is idle.
//
// The order of summation is anchored at position 0: scores over head_dim, the softmax in spans of
// kKeySpan keys, the output block by block of the cache. Keys past a query's position weigh exactly
// zero, so how a prompt is cut into steps does not show.
#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/attention_scratch.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

struct Step {
  const KernelTable* kernels;
  KvLayer layer;
  std::span<const KvSequence> sequences;
  int num_heads;
  float scale;
  ConstFloatMatrix q;
  FloatMatrix out;

  int64_t group() const { return num_heads / layer.num_kv_heads; }
};

// One key/value head of one sequence, and a block of its (new token, query head) pairs.
struct Task {
  const KvSequence* sequence;
  int64_t kv_head;
  int64_t lane, num_lanes;
};

int64_t LaneBlocks(const Step& step, const KvSequence& sequence) {
  return (sequence.num_new * step.group() + kQueryLanes - 1) / kQueryLanes;
}

Task FindTask(const Step& step, int64_t index) {
  for (const KvSequence& sequence : step.sequences) {
    const int64_t blocks = LaneBlocks(step, sequence);
    if (index >= blocks * step.layer.num_kv_heads) {
      index -= blocks * step.layer.num_kv_heads;
      continue;
    }
    Task task{&sequence, index / blocks, index % blocks * kQueryLanes, 0};
    task.num_lanes = std::min(kQueryLanes, sequence.num_new * step.group() - task.lane);
    return task;
  }
  OCTAVO_CHECK(false, "task ", index, " past the end");
  return {};
}

// The columns of a lane in q and out, and its token's position.
struct Lane {
  int64_t row, column, position;
};

Lane LaneOf(const Step& step, const Task& task, int64_t i) {
  const int64_t lane = task.lane + i;
  const int64_t token = lane / step.group();
  const int64_t head = task.kv_head * step.group() + lane % step.group();
  return {task.sequence->first_row + token, head * step.layer.head_dim,
          task.sequence->num_cached + token};
}

// Keys [first, first + count) of one cache block, all in one block.
struct KeyBlock {
  int64_t first, count;
  size_t offset;  // of the block's head in the storage, in bytes
};

KeyBlock BlockAt(const Step& step, const Task& task, int64_t key, int64_t end) {
  const int64_t size = step.layer.block_size;
  const int64_t number = task.sequence->block_table[static_cast<size_t>(key / size)];
  return {key, std::min(size, end - key), KvHeadOffset(step.layer, number, task.kv_head)};
}

void WidenHalves(const Step& step, const std::byte* in, int64_t count, float* out) {
  const auto widen =
      step.layer.dtype == DType::kF16 ? step.kernels->widen_f16 : step.kernels->widen_bf16;
  widen(reinterpret_cast<const uint16_t*>(in), count, out);
}

// A block's keys, or values, as f32: the storage itself, or widened into `scratch`.
const float* KeysOf(const Step& step, const KeyBlock& block, const AttentionScratch& scratch) {
  const std::byte* head = step.layer.keys + block.offset;
  const int64_t count = int64_t{step.layer.block_size} * step.layer.head_dim;
  switch (step.layer.dtype) {
    case DType::kF32:
      return reinterpret_cast<const float*>(head);
    case DType::kI8:
      step.kernels->widen_i8_columns(
          {reinterpret_cast<const int8_t*>(head), step.layer.head_dim, step.layer.block_size,
           reinterpret_cast<const float*>(head + count)},
          scratch.keys);
      return scratch.keys;
    default:
      WidenHalves(step, head, count, scratch.keys);
      return scratch.keys;
  }
}

const float* ValuesOf(const Step& step, const KeyBlock& block, const AttentionScratch& scratch) {
  const std::byte* head = step.layer.values + block.offset;
  const int64_t dim = step.layer.head_dim;
  switch (step.layer.dtype) {
    case DType::kF32:
      return reinterpret_cast<const float*>(head);
    case DType::kI8:
      step.kernels->widen_i8_rows(
          {reinterpret_cast<const int8_t*>(head), block.count, dim,
           reinterpret_cast<const float*>(head + step.layer.block_size * dim)},
          scratch.values);
      return scratch.values;
    default:
      WidenHalves(step, head, block.count * dim, scratch.values);
      return scratch.values;
  }
}

// ---- queries as lanes ----

void PackLanes(const Step& step, const Task& task, float* queries) {
  const int64_t dim = step.layer.head_dim;
  const float scale = step.scale * kLog2E;
  const int64_t padded = (task.num_lanes + kLaneColumns - 1) / kLaneColumns * kLaneColumns;
  for (int64_t i = 0; i < padded; ++i) {
    float* out = queries + i / kLaneColumns * dim * kLaneColumns + i % kLaneColumns;
    if (i < task.num_lanes) {
      const Lane lane = LaneOf(step, task, i);
      const float* q = step.q.row(lane.row) + lane.column;
      for (int64_t c = 0; c < dim; ++c) out[c * kLaneColumns] = q[c] * scale;
    } else {
      for (int64_t c = 0; c < dim; ++c) out[c * kLaneColumns] = 0;
    }
  }
}

// Scores of keys past a lane's own position become -inf. Lanes past the last keep their zeros.
void MaskLanes(const Step& step, const Task& task, int64_t first, int64_t count, float* scores) {
  for (int64_t i = 0; i < task.num_lanes; ++i) {
    const int64_t visible = LaneOf(step, task, i).position + 1 - first;
    float* lane = scores + i / kLaneColumns * kKeySpan * kLaneColumns + i % kLaneColumns;
    for (int64_t key = std::max<int64_t>(visible, 0); key < count; ++key) {
      lane[key * kLaneColumns] = kMinusInfinity;
    }
  }
}

void RunSpanByLanes(const Step& step, const Task& task, int64_t first, int64_t end,
                    const AttentionScratch& scratch) {
  const int64_t dim = step.layer.head_dim;
  const int64_t panels = (task.num_lanes + kLaneColumns - 1) / kLaneColumns;
  GemmF32 b;  // scores [panel][key][lane]
  b.x_row_stride = 1;
  b.x_k_stride = step.layer.block_size;
  b.w = scratch.queries;
  b.w_panel_stride = dim * kLaneColumns;
  b.sums_row_stride = kLaneColumns;
  b.sums_panel_stride = kKeySpan * kLaneColumns;
  b.k = dim;
  b.panels = panels;
  for (int64_t key = first; key < end; key += step.layer.block_size) {
    const KeyBlock block = BlockAt(step, task, key, end);
    b.x = KeysOf(step, block, scratch);
    b.rows = block.count;
    b.sums = scratch.scores + (key - first) * kLaneColumns;
    step.kernels->gemm_f32(b);
  }
  MaskLanes(step, task, first, end - first, scratch.scores);
  for (int64_t p = 0; p < panels; ++p) {
    const int64_t lane = p * kLaneColumns;
    step.kernels->softmax_lanes({scratch.scores + p * kKeySpan * kLaneColumns, end - first,
                                 scratch.maximum + lane, scratch.sum + lane,
                                 scratch.correction + lane});
  }
  b = {};  // output [panel][dim][lane]
  b.x_row_stride = 1;
  b.x_k_stride = dim;
  b.w_panel_stride = kKeySpan * kLaneColumns;
  b.sums = scratch.output;
  b.sums_row_stride = kLaneColumns;
  b.sums_panel_stride = dim * kLaneColumns;
  b.rows = dim;
  b.panels = panels;
  for (int64_t key = first; key < end; key += step.layer.block_size) {
    const KeyBlock block = BlockAt(step, task, key, end);
    b.x = ValuesOf(step, block, scratch);
    b.w = scratch.scores + (key - first) * kLaneColumns;
    b.k = block.count;
    b.accumulate = key > 0;
    b.column_scale = key == first && key > 0 ? scratch.correction : nullptr;
    step.kernels->gemm_f32(b);
  }
}

void StoreLanes(const Step& step, const Task& task, const AttentionScratch& scratch) {
  const int64_t dim = step.layer.head_dim;
  for (int64_t i = 0; i < task.num_lanes; ++i) {
    const Lane lane = LaneOf(step, task, i);
    const float* in = scratch.output + i / kLaneColumns * dim * kLaneColumns + i % kLaneColumns;
    float* out = step.out.row(lane.row) + lane.column;
    for (int64_t c = 0; c < dim; ++c) out[c] = in[c * kLaneColumns] / scratch.sum[i];
  }
}

// ---- one token: its query heads as rows ----

bool RowsFit(const Step& step, const Task& task) {
  return task.sequence->num_new == 1 && step.layer.head_dim % kLaneColumns == 0 &&
         step.layer.block_size % kLaneColumns == 0;
}

void PackRows(const Step& step, const Task& task, float* queries) {
  const int64_t dim = step.layer.head_dim;
  const float scale = step.scale * kLog2E;
  for (int64_t i = 0; i < task.num_lanes; ++i) {
    const Lane lane = LaneOf(step, task, i);
    const float* q = step.q.row(lane.row) + lane.column;
    for (int64_t c = 0; c < dim; ++c) queries[i * dim + c] = q[c] * scale;
  }
}

// Asks memory for a block that is needed soon: each begins a page of its own, where the processor
// does not look ahead by itself.
void Prefetch(const Step& step, const std::byte* storage, const KeyBlock& block) {
  constexpr size_t kLineBytes = 64;
  const KvLayer& layer = step.layer;
  const size_t bytes = KvHeadBytes(layer.dtype, layer.head_dim, layer.block_size);
  for (size_t i = 0; i < bytes; i += kLineBytes) {
    __builtin_prefetch(storage + block.offset + i);
  }
}

// A block as weights of a product: 16-bit numbers as they are stored, others as f32.
template <class T>
const T* WeightsOf(const Step& step, const KeyBlock& block, bool keys,
                   const AttentionScratch& scratch) {
  if constexpr (sizeof(T) == sizeof(uint16_t)) {
    return reinterpret_cast<const T*>((keys ? step.layer.keys : step.layer.values) + block.offset);
  } else {
    return (keys ? KeysOf : ValuesOf)(step, block, scratch);
  }
}

// Keys between two rescalings of the output, of `all`.
struct KeySpan {
  int64_t first, end, all;
};

// While keys are multiplied the span's values come, and with the values the keys of the next span.
template <class T>
void RunSpanByRows(const Step& step, const Task& task, const KeySpan& span,
                   void (*gemm)(const GemmBlock<float, T>&), const AttentionScratch& scratch) {
  const auto [first, end, all] = span;
  const int64_t dim = step.layer.head_dim;
  const int64_t size = step.layer.block_size;
  GemmBlock<float, T> b;  // scores [row][key]
  b.x = scratch.queries;
  b.x_row_stride = dim;
  b.w_panel_stride = kLaneColumns;
  b.w_k_stride = size;
  b.sums_row_stride = kKeySpan;
  b.rows = task.num_lanes;
  b.k = dim;
  for (int64_t key = first; key < end; key += size) {
    const KeyBlock block = BlockAt(step, task, key, end);
    Prefetch(step, step.layer.values, block);
    b.w = WeightsOf<T>(step, block, true, scratch);
    b.panels = (block.count + kLaneColumns - 1) / kLaneColumns;
    b.sums = scratch.scores + (key - first);
    gemm(b);
  }
  step.kernels->softmax_rows({scratch.scores, kKeySpan, task.num_lanes, end - first,
                              scratch.maximum, scratch.sum, scratch.correction});
  b = {};  // output [row][dim]
  b.x_row_stride = kKeySpan;
  b.w_panel_stride = kLaneColumns;
  b.w_k_stride = dim;
  b.sums = scratch.output;
  b.sums_row_stride = dim;
  b.rows = task.num_lanes;
  b.panels = dim / kLaneColumns;
  for (int64_t key = first; key < end; key += size) {
    if (const int64_t next = key + kKeySpan; next < all) {
      Prefetch(step, step.layer.keys, BlockAt(step, task, next, all));
    }
    const KeyBlock block = BlockAt(step, task, key, end);
    b.x = scratch.scores + (key - first);
    b.w = WeightsOf<T>(step, block, false, scratch);
    b.k = block.count;
    b.accumulate = key > 0;
    b.row_scale = key == first && key > 0 ? scratch.correction : nullptr;
    gemm(b);
  }
}

void RunRows(const Step& step, const Task& task, int64_t keys, const AttentionScratch& scratch) {
  for (int64_t first = 0; first < keys; first += kKeySpan) {
    const KeySpan span = {first, std::min(first + kKeySpan, keys), keys};
    const KernelTable& kernels = *step.kernels;
    if (step.layer.dtype == DType::kBF16) {
      RunSpanByRows(step, task, span, kernels.gemm_bf16, scratch);
    } else if (step.layer.dtype == DType::kF16) {
      RunSpanByRows(step, task, span, kernels.gemm_f16, scratch);
    } else {
      RunSpanByRows(step, task, span, kernels.gemm_f32, scratch);
    }
  }
}

void RunLanes(const Step& step, const Task& task, int64_t keys, const AttentionScratch& scratch) {
  for (int64_t first = 0; first < keys; first += kKeySpan) {
    RunSpanByLanes(step, task, first, std::min(first + kKeySpan, keys), scratch);
  }
}

void StoreRows(const Step& step, const Task& task, const AttentionScratch& scratch) {
  const int64_t dim = step.layer.head_dim;
  for (int64_t i = 0; i < task.num_lanes; ++i) {
    const Lane lane = LaneOf(step, task, i);
    float* out = step.out.row(lane.row) + lane.column;
    for (int64_t c = 0; c < dim; ++c) out[c] = scratch.output[i * dim + c] / scratch.sum[i];
  }
}

void RunTask(const Step& step, const Task& task, const AttentionScratch& scratch) {
  std::fill_n(scratch.maximum, kQueryLanes, kMinusInfinity);
  std::fill_n(scratch.sum, kQueryLanes, 0.0f);
  const bool rows = RowsFit(step, task);
  (rows ? PackRows : PackLanes)(step, task, scratch.queries);
  const int64_t keys = LaneOf(step, task, task.num_lanes - 1).position + 1;
  (rows ? RunRows : RunLanes)(step, task, keys, scratch);
  (rows ? StoreRows : StoreLanes)(step, task, scratch);
}

}  // namespace

void PagedAttention(const Context& context, const KvLayer& layer,
                    std::span<const KvSequence> sequences, float scale, ConstFloatMatrix q,
                    FloatMatrix out) noexcept {
  CheckKvLayer(layer);
  const auto num_heads = static_cast<int>(q.cols / layer.head_dim);
  OCTAVO_CHECK(num_heads % layer.num_kv_heads == 0 &&
                   q.cols == int64_t{num_heads} * layer.head_dim && out.cols == q.cols,
               num_heads, " heads, ", layer.num_kv_heads, " key heads, ", q.cols, " columns");
  OCTAVO_CHECK(context.workspace->scratch_bytes_per_thread() >=
               AttentionScratchBytes(layer.head_dim));
  const Step step{context.kernels, layer, sequences, num_heads, scale, q, out};
  int64_t tasks = 0;
  for (const KvSequence& sequence : sequences) {
    tasks += LaneBlocks(step, sequence) * layer.num_kv_heads;
  }
  context.pool->ParallelFor(tasks, 1, [&](int64_t begin, int64_t end, int thread) {
    const AttentionScratch scratch(context.workspace->ThreadScratch(thread), layer.head_dim);
    for (int64_t i = begin; i < end; ++i) RunTask(step, FindTask(step, i), scratch);
  });
}

}  // namespace octavo::ops
