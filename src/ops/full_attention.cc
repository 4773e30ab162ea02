// Full attention with queries as vector lanes: S^T = K Q^T, then O^T += V^T P^T, so that no sum
// runs across a vector and K and V are read in their natural order.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/attention_scratch.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr int64_t kKeys = 96;  // keys of a block: whole tiles of six rows
static_assert(kKeys <= kKeySpan);
constexpr int64_t kPrefetchRows = 24;  // fetched between two products

// One head, one block of queries of one segment.
struct Task {
  int64_t segment_begin, segment_end;
  int64_t query, num_queries;
  int64_t head;
};

int64_t QueryBlocks(const FullAttentionArgs& args, size_t segment) {
  const int64_t length = args.cu_seqlens[segment + 1] - args.cu_seqlens[segment];
  return (length + kQueryLanes - 1) / kQueryLanes;
}

// Tasks count through segments, then heads, then blocks of queries: neighbours share keys.
Task FindTask(const FullAttentionArgs& args, int64_t index) {
  for (size_t s = 0; s + 1 < args.cu_seqlens.size(); ++s) {
    const int64_t blocks = QueryBlocks(args, s);
    if (index >= blocks * args.num_heads) {
      index -= blocks * args.num_heads;
      continue;
    }
    Task task{};
    task.segment_begin = args.cu_seqlens[s];
    task.segment_end = args.cu_seqlens[s + 1];
    task.head = index / blocks;
    task.query = task.segment_begin + index % blocks * kQueryLanes;
    task.num_queries = std::min(kQueryLanes, task.segment_end - task.query);
    return task;
  }
  OCTAVO_CHECK(false, "task ", index, " past the end");
  return {};
}

// queries[panel][dim][lane] = q * scale * log2(e); lanes past the last query are zero.
void PackQueries(const FullAttentionArgs& args, const Task& task, float* queries) {
  const int64_t dim = args.head_dim;
  const float scale = args.scale * kLog2E;
  const int64_t lanes = (task.num_queries + kLaneColumns - 1) / kLaneColumns * kLaneColumns;
  for (int64_t i = 0; i < lanes; ++i) {
    float* out = queries + i / kLaneColumns * dim * kLaneColumns + i % kLaneColumns;
    if (i < task.num_queries) {
      const float* q = args.q.row(task.query + i) + task.head * dim;
      for (int64_t c = 0; c < dim; ++c) out[c * kLaneColumns] = q[c] * scale;
    } else {
      for (int64_t c = 0; c < dim; ++c) out[c * kLaneColumns] = 0;
    }
  }
}

// Rows [row, row + count) of one head, closely packed.
void CopyHead(ConstFloatMatrix m, int64_t row, int64_t count, int64_t column, int64_t dim,
              float* out) {
  for (int64_t r = 0; r < count; ++r) {
    std::memcpy(out + r * dim, m.row(row + r) + column, static_cast<size_t>(dim) * sizeof(float));
  }
}

// Fetches rows [row, row + count) of one head that exist into the second-level cache.
void PrefetchHead(ConstFloatMatrix m, int64_t row, int64_t count, int64_t column, int64_t dim) {
  for (int64_t r = row; r < std::min(row + count, m.rows); ++r) {
    const float* p = m.data + r * m.row_stride + column;
    for (int64_t c = 0; c < dim; c += 16) __builtin_prefetch(p + c, 0, 2);
    __builtin_prefetch(p + dim - 1, 0, 2);
  }
}

void StoreOutput(const FullAttentionArgs& args, const Task& task, const AttentionScratch& scratch) {
  const int64_t dim = args.head_dim;
  for (int64_t i = 0; i < task.num_queries; ++i) {
    const float* in = scratch.output + i / kLaneColumns * dim * kLaneColumns + i % kLaneColumns;
    float* out = args.out.row(task.query + i) + task.head * dim;
    const float sum = scratch.sum[i];
    for (int64_t c = 0; c < dim; ++c) out[c] = in[c * kLaneColumns] / sum;
  }
}

void RunTask(const KernelTable& kernels, const FullAttentionArgs& args, const Task& task,
             const AttentionScratch& scratch) {
  const int64_t dim = args.head_dim;
  const int64_t panels = (task.num_queries + kLaneColumns - 1) / kLaneColumns;
  PackQueries(args, task, scratch.queries);
  std::fill_n(scratch.maximum, kQueryLanes, -std::numeric_limits<float>::infinity());
  std::fill_n(scratch.sum, kQueryLanes, 0.0f);

  GemmF32 scores;  // [panel][key][lane]
  scores.x_row_stride = dim;
  scores.w = scratch.queries;
  scores.w_panel_stride = dim * kLaneColumns;
  scores.sums_row_stride = kLaneColumns;
  scores.sums_panel_stride = kKeys * kLaneColumns;
  scores.k = dim;
  scores.panels = panels;

  GemmF32 output;  // [panel][dim][lane]
  output.x = scratch.values;
  output.x_row_stride = 1;
  output.x_k_stride = dim;
  output.w = scratch.scores;
  output.w_panel_stride = kKeys * kLaneColumns;
  output.sums = scratch.output;
  output.sums_row_stride = kLaneColumns;
  output.sums_panel_stride = dim * kLaneColumns;
  output.rows = dim;
  output.panels = panels;

  for (int64_t key = task.segment_begin; key < task.segment_end; key += kKeys) {
    const int64_t keys = std::min(kKeys, task.segment_end - key);
    CopyHead(args.k, key, keys, task.head * dim, dim, scratch.keys);
    // The next block's rows lie pages apart: fetch them while this one is worked on.
    for (int64_t done = 0; done < keys; done += kPrefetchRows) {
      PrefetchHead(args.k, key + kKeys + done, kPrefetchRows, task.head * dim, dim);
      PrefetchHead(args.v, key + kKeys + done, kPrefetchRows, task.head * dim, dim);
      scores.rows = std::min(kPrefetchRows, keys - done);
      scores.x = scratch.keys + done * dim;
      scores.sums = scratch.scores + done * kLaneColumns;
      kernels.gemm_f32(scores);
    }
    for (int64_t p = 0; p < panels; ++p) {
      const int64_t lane = p * kLaneColumns;
      kernels.softmax_lanes({scratch.scores + p * kKeys * kLaneColumns, keys,
                             scratch.maximum + lane, scratch.sum + lane,
                             scratch.correction + lane});
    }
    CopyHead(args.v, key, keys, task.head * dim, dim, scratch.values);
    output.k = keys;
    output.accumulate = key > task.segment_begin;
    output.column_scale = output.accumulate ? scratch.correction : nullptr;
    kernels.gemm_f32(output);
  }
  StoreOutput(args, task, scratch);
}

}  // namespace

int64_t FullAttentionTasks(const FullAttentionArgs& args) noexcept {
  int64_t tasks = 0;
  for (size_t s = 0; s + 1 < args.cu_seqlens.size(); ++s) {
    tasks += QueryBlocks(args, s) * args.num_heads;
  }
  return tasks;
}

void FullAttention(const Context& context, const FullAttentionArgs& args, int64_t first_task,
                   int64_t num_tasks) noexcept {
  const int64_t columns = int64_t{args.num_heads} * args.head_dim;
  OCTAVO_CHECK(args.q.cols == columns && args.k.cols == columns && args.v.cols == columns &&
                   args.out.cols == columns,
               args.q.cols, " columns, ", args.num_heads, " heads of ", args.head_dim);
  OCTAVO_CHECK(first_task >= 0 && num_tasks >= 0 &&
               first_task + num_tasks <= FullAttentionTasks(args));
  OCTAVO_CHECK(context.workspace->scratch_bytes_per_thread() >=
               AttentionScratchBytes(args.head_dim));
  context.pool->ParallelFor(num_tasks, 1, [&](int64_t begin, int64_t end, int thread) {
    const AttentionScratch scratch(context.workspace->ThreadScratch(thread), args.head_dim);
    for (int64_t i = begin; i < end; ++i) {
      RunTask(*context.kernels, args, FindTask(args, first_task + i), scratch);
    }
  });
}

size_t AttentionScratchBytes(int head_dim) {
  const int64_t per_dim = 2 * kQueryLanes + 2 * kKeySpan;
  return static_cast<size_t>(3 * kQueryLanes + kQueryLanes * kKeySpan + per_dim * head_dim) *
         sizeof(float);
}

}  // namespace octavo::ops
