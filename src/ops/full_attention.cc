// Full attention with queries as vector lanes: S^T = K Q^T, then O^T += V^T P^T, so that no sum
// runs across a vector and K and V are read in their natural order.
#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/attention_scratch.h"
#include "ops/head_groups.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

constexpr int64_t kKeys = 96;  // keys of a block: whole tiles of six rows
static_assert(kKeys <= kKeySpan);

// queries[panel][dim][lane] = q * scale * log2(e); lanes past the last query are zero.
void PackQueries(const FullAttentionArgs& args, const HeadTask& task, float* queries) {
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
  constexpr int64_t kAhead = 8;  // rows lie pages apart: fetched before they are read
  for (int64_t r = row; r < row + count; ++r) {
    const float* ahead = m.row(std::min(r + kAhead, row + count - 1)) + column;
    for (int64_t c = 0; c < dim; c += 16) __builtin_prefetch(ahead + c);
    std::memcpy(out, m.row(r) + column, static_cast<size_t>(dim) * sizeof(float));
    out += dim;
  }
}

void StoreOutput(const FullAttentionArgs& args, const HeadTask& task,
                 const AttentionScratch& scratch) {
  const int64_t dim = args.head_dim;
  for (int64_t lane = 0; lane < task.num_queries; lane += kLaneColumns) {
    float* panel = scratch.output + lane * dim;
    for (int64_t c = 0; c < dim; ++c) {  // sixteen divisions at a time
      for (int64_t i = 0; i < kLaneColumns; ++i)
        panel[c * kLaneColumns + i] /= scratch.sum[lane + i];
    }
    for (int64_t i = 0; i < std::min(kLaneColumns, task.num_queries - lane); ++i) {
      float* out = args.out.row(task.query + lane + i) + task.head * dim;
      for (int64_t c = 0; c < dim; ++c) out[c] = panel[c * kLaneColumns + i];
    }
  }
}

void RunTask(const KernelTable& kernels, const FullAttentionArgs& args, const HeadTask& task,
             const float* head_keys, const float* head_values, const AttentionScratch& scratch) {
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
  output.x_row_stride = 1;
  output.x_k_stride = dim;
  output.w = scratch.scores;
  output.w_panel_stride = kKeys * kLaneColumns;
  output.sums = scratch.output;
  output.sums_row_stride = kLaneColumns;
  output.sums_panel_stride = dim * kLaneColumns;
  output.rows = dim;
  output.panels = panels;

  const int64_t rows = task.segment_end - task.segment_begin;
  for (int64_t key = 0; key < rows; key += kKeys) {
    const int64_t keys = std::min(kKeys, rows - key);
    scores.rows = keys;
    scores.x = head_keys + key * dim;
    scores.sums = scratch.scores;
    kernels.gemm_f32(scores);
    for (int64_t p = 0; p < panels; ++p) {
      const int64_t lane = p * kLaneColumns;
      kernels.softmax_lanes({scratch.scores + p * kKeys * kLaneColumns, keys,
                             scratch.maximum + lane, scratch.sum + lane,
                             scratch.correction + lane});
    }
    output.x = head_values + key * dim;
    output.k = keys;
    output.accumulate = key > 0;
    output.column_scale = output.accumulate ? scratch.correction : nullptr;
    kernels.gemm_f32(output);
  }
  StoreOutput(args, task, scratch);
}

int64_t HeadBytes(int64_t dim, int64_t rows) { return 2 * rows * dim * int64_t{sizeof(float)}; }

}  // namespace

F32Heads::F32Heads(int num_heads, int head_dim, int64_t longest)
    : head_dim_(head_dim),
      longest_(longest),
      heads_per_group_(HeadsPerGroup(num_heads, HeadBytes(head_dim, longest))),
      storage_(Bytes(num_heads, head_dim, longest) / sizeof(float)) {}

size_t F32Heads::Bytes(int num_heads, int head_dim, int64_t longest) {
  const int64_t head_bytes = HeadBytes(head_dim, longest);
  return static_cast<size_t>(HeadsPerGroup(num_heads, head_bytes) * head_bytes);
}

const float* F32Heads::keys(int64_t head_in_group) const {
  return storage_.data() + head_in_group * 2 * longest_ * head_dim_;
}

const float* F32Heads::values(int64_t head_in_group) const {
  return keys(head_in_group) + longest_ * head_dim_;
}

void F32Heads::Pack(const Context& context, const FullAttentionArgs& args, int64_t segment,
                    int64_t head) {
  const int64_t group = head / heads_per_group_;
  if (packed_segment_ == segment && packed_group_ == group) return;
  const int64_t rows = SegmentRows(args, segment);
  const int64_t dim = args.head_dim;
  OCTAVO_CHECK(dim == head_dim_ && rows <= longest_, rows, " rows of ", dim, ", made for ",
               longest_, " of ", head_dim_);
  const int64_t begin = args.cu_seqlens[static_cast<size_t>(segment)];
  const int64_t first_head = group * heads_per_group_;
  const int64_t count = std::min<int64_t>(heads_per_group_, args.num_heads - first_head);
  const int64_t blocks = (rows + kKeySpan - 1) / kKeySpan;
  context.pool->ParallelFor(count * blocks, 1, [&](int64_t from, int64_t to, int) {
    for (int64_t i = from; i < to; ++i) {
      const int64_t row = i % blocks * kKeySpan;
      const int64_t block_rows = std::min(kKeySpan, rows - row);
      const int64_t column = (first_head + i / blocks) * dim;
      float* keys = storage_.data() + i / blocks * 2 * longest_ * dim + row * dim;
      CopyHead(args.k, begin + row, block_rows, column, dim, keys);
      CopyHead(args.v, begin + row, block_rows, column, dim, keys + longest_ * dim);
    }
  });
  packed_segment_ = segment;
  packed_group_ = group;
}

int64_t FullAttentionTasks(const FullAttentionArgs& args) noexcept {
  return CountHeadTasks(args, kQueryLanes);
}

void CheckFullAttention(const Context& context, const FullAttentionArgs& args) {
  const int64_t columns = int64_t{args.num_heads} * args.head_dim;
  OCTAVO_CHECK(args.q.cols == columns && args.k.cols == columns && args.v.cols == columns &&
                   args.out.cols == columns,
               args.q.cols, " columns, ", args.num_heads, " heads of ", args.head_dim);
  OCTAVO_CHECK(context.workspace->scratch_bytes_per_thread() >=
               AttentionScratchBytes(args.head_dim));
}

void FullAttention(const Context& context, const FullAttentionArgs& args, F32Heads* heads,
                   int64_t first_task, int64_t num_tasks) noexcept {
  CheckFullAttention(context, args);
  OCTAVO_CHECK(first_task >= 0 && num_tasks >= 0 &&
               first_task + num_tasks <= FullAttentionTasks(args));
  ForHeadGroups(
      context, args, {kQueryLanes, heads->heads_per_group(), first_task, num_tasks},
      [&](int64_t segment, int64_t head) { heads->Pack(context, args, segment, head); },
      [&](const HeadTask& task, int thread) {
        const AttentionScratch scratch(context.workspace->ThreadScratch(thread), args.head_dim);
        RunTask(*context.kernels, args, task, heads->keys(task.head_in_group),
                heads->values(task.head_in_group), scratch);
      });
}

size_t AttentionScratchBytes(int head_dim) {
  const int64_t per_dim = 2 * kQueryLanes + 2 * kKeySpan;
  return static_cast<size_t>(3 * kQueryLanes + kQueryLanes * kKeySpan + per_dim * head_dim) *
         sizeof(float);
}

}  // namespace octavo::ops
