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
#include "tensor/float16.h"

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
  int64_t offset;  // of the block's head in the storage, in elements
};

KeyBlock BlockAt(const Step& step, const Task& task, int64_t key, int64_t end) {
  const int64_t size = step.layer.block_size;
  const int64_t number = task.sequence->block_table[static_cast<size_t>(key / size)];
  const int64_t head = number * step.layer.num_kv_heads + task.kv_head;
  return {key, std::min(size, end - key), head * size * step.layer.head_dim};
}

// The block as f32: the storage itself, or widened into `scratch`. `count` numbers are needed.
const float* Widened(const Step& step, const std::byte* storage, int64_t offset, int64_t count,
                     float* scratch) {
  if (step.layer.dtype == DType::kF32) return reinterpret_cast<const float*>(storage) + offset;
  step.kernels->widen_bf16(reinterpret_cast<const uint16_t*>(storage) + offset, count, scratch);
  return scratch;
}

const float* KeysOf(const Step& step, const KeyBlock& block, const AttentionScratch& scratch) {
  const int64_t count = int64_t{step.layer.block_size} * step.layer.head_dim;
  return Widened(step, step.layer.keys, block.offset, count, scratch.keys);
}

const float* ValuesOf(const Step& step, const KeyBlock& block, const AttentionScratch& scratch) {
  return Widened(step, step.layer.values, block.offset, block.count * step.layer.head_dim,
                 scratch.values);
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

void RunSpanByRows(const Step& step, const Task& task, int64_t first, int64_t end,
                   const AttentionScratch& scratch) {
  const int64_t dim = step.layer.head_dim;
  GemmF32 b;  // scores [row][key]
  b.x = scratch.queries;
  b.x_row_stride = dim;
  b.w_panel_stride = kLaneColumns;
  b.w_k_stride = step.layer.block_size;
  b.sums_row_stride = kKeySpan;
  b.rows = task.num_lanes;
  b.k = dim;
  for (int64_t key = first; key < end; key += step.layer.block_size) {
    const KeyBlock block = BlockAt(step, task, key, end);
    b.w = KeysOf(step, block, scratch);
    b.panels = (block.count + kLaneColumns - 1) / kLaneColumns;
    b.sums = scratch.scores + (key - first);
    step.kernels->gemm_f32(b);
  }
  for (int64_t i = 0; i < task.num_lanes; ++i) {
    step.kernels->softmax_row({scratch.scores + i * kKeySpan, end - first, scratch.maximum + i,
                               scratch.sum + i, scratch.correction + i});
  }
  b = {};  // output [row][dim]
  b.x_row_stride = kKeySpan;
  b.w_panel_stride = kLaneColumns;
  b.w_k_stride = dim;
  b.sums = scratch.output;
  b.sums_row_stride = dim;
  b.rows = task.num_lanes;
  b.panels = dim / kLaneColumns;
  for (int64_t key = first; key < end; key += step.layer.block_size) {
    const KeyBlock block = BlockAt(step, task, key, end);
    b.x = scratch.scores + (key - first);
    b.w = ValuesOf(step, block, scratch);
    b.k = block.count;
    b.accumulate = key > 0;
    b.row_scale = key == first && key > 0 ? scratch.correction : nullptr;
    step.kernels->gemm_f32(b);
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
  for (int64_t first = 0; first < keys; first += kKeySpan) {
    const int64_t end = std::min(first + kKeySpan, keys);
    (rows ? RunSpanByRows : RunSpanByLanes)(step, task, first, end, scratch);
  }
  (rows ? StoreRows : StoreLanes)(step, task, scratch);
}

void CheckLayer(const KvLayer& layer) {
  OCTAVO_CHECK(layer.dtype == DType::kF32 || layer.dtype == DType::kBF16, DTypeName(layer.dtype));
  OCTAVO_CHECK(layer.block_size > 0 && kKeySpan % layer.block_size == 0, layer.block_size);
}

// Stores one token's keys and values of all heads.
void AppendToken(const KvLayer& layer, int64_t block, int64_t slot, const float* k,
                 const float* v) {
  const int64_t dim = layer.head_dim;
  const int64_t size = layer.block_size;
  for (int64_t h = 0; h < layer.num_kv_heads; ++h) {
    const int64_t base = (block * layer.num_kv_heads + h) * size * dim;
    for (int64_t c = 0; c < dim; ++c) {
      const int64_t key_place = base + c * size + slot;
      const int64_t value_place = base + slot * dim + c;
      if (layer.dtype == DType::kF32) {
        reinterpret_cast<float*>(layer.keys)[key_place] = k[h * dim + c];
        reinterpret_cast<float*>(layer.values)[value_place] = v[h * dim + c];
      } else {
        reinterpret_cast<uint16_t*>(layer.keys)[key_place] = ToBFloat16(k[h * dim + c]).bits;
        reinterpret_cast<uint16_t*>(layer.values)[value_place] = ToBFloat16(v[h * dim + c]).bits;
      }
    }
  }
}

}  // namespace

void AppendKv(const Context& context, const KvLayer& layer, std::span<const KvSequence> sequences,
              ConstFloatMatrix k, ConstFloatMatrix v) noexcept {
  CheckLayer(layer);
  OCTAVO_CHECK(k.cols == int64_t{layer.num_kv_heads} * layer.head_dim && v.cols == k.cols, k.cols);
  for (const KvSequence& sequence : sequences) {
    const int64_t grain = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, k.cols));
    context.pool->ParallelFor(sequence.num_new, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t position = sequence.num_cached + i;
        const int64_t block =
            sequence.block_table[static_cast<size_t>(position / layer.block_size)];
        const int64_t row = sequence.first_row + i;
        AppendToken(layer, block, position % layer.block_size, k.row(row), v.row(row));
      }
    });
  }
}

void PagedAttention(const Context& context, const KvLayer& layer,
                    std::span<const KvSequence> sequences, float scale, ConstFloatMatrix q,
                    FloatMatrix out) noexcept {
  CheckLayer(layer);
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
