#include "ops/full_attention_int16.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/thread_pool.h"
#include "kernels/kernel_table.h"
#include "ops/attention_scratch.h"
#include "ops/head_groups.h"
#include "ops/workspace.h"

namespace octavo::ops {
namespace {

int64_t KeyBlocks(int64_t rows) { return (rows + kInt16Keys - 1) / kInt16Keys; }

// Takes arrays one after the other, each on its own cache line.
class Cutter {
 public:
  explicit Cutter(std::byte* area) : area_(area) {}
  template <typename T>
  T* Take(int64_t count) {
    std::byte* taken = area_ == nullptr ? nullptr : area_ + used_;
    constexpr auto kLine = static_cast<int64_t>(kBufferAlignment);
    used_ += (count * int64_t{sizeof(T)} + kLine - 1) / kLine * kLine;
    return reinterpret_cast<T*>(taken);
  }
  int64_t used() const { return used_; }

 private:
  std::byte* area_;
  int64_t used_ = 0;
};

Int16Heads::Head CutHead(Cutter* cutter, int64_t dim, int64_t rows) {
  const int64_t blocks = KeyBlocks(rows);
  Int16Heads::Head head{};
  head.keys = cutter->Take<int16_t>(rows * Int16Dim(dim));
  head.values = cutter->Take<int16_t>(blocks * dim * kInt16Keys);
  head.key_scales = cutter->Take<float>(blocks);
  head.key_sums = cutter->Take<float>(blocks * dim);
  head.largest = cutter->Take<float>(blocks * dim);
  head.key_mean = cutter->Take<float>(dim);
  head.value_scale = cutter->Take<float>(dim);
  head.inverse = cutter->Take<float>(dim);
  return head;
}

int64_t HeadBytes(int64_t dim, int64_t rows) {
  Cutter cutter(nullptr);
  CutHead(&cutter, dim, rows);
  return cutter.used();
}

HeadRows RowsOf(ConstFloatMatrix m, int64_t row, int64_t rows, int64_t head, int64_t dim) {
  return {m.data + row * m.row_stride + head * dim, m.row_stride, rows, dim};
}

// The mean of all keys and the scale of each channel of the values.
void ReduceBlocks(const Int16Heads::Head& head, int64_t dim, int64_t rows) {
  const int64_t blocks = KeyBlocks(rows);
  for (int64_t c = 0; c < dim; ++c) {
    float sum = 0;
    float largest = 0;
    for (int64_t b = 0; b < blocks; ++b) {
      sum += head.key_sums[b * dim + c];
      const float size = head.largest[b * dim + c];
      largest = size <= largest ? largest : size;  // takes NaN, and keeps it
      if (largest != largest) break;
    }
    head.key_mean[c] = sum / static_cast<float>(rows);
    const Int16Scale scale = Int16ScaleOf(largest, kInt16ValueRange);
    head.value_scale[c] = scale.scale;
    head.inverse[c] = scale.inverse;
  }
}

// What a thread needs for one block of queries.
struct Scratch {
  int16_t* queries;
  float* query_scales;
  int32_t* scores;
  float* maximum;
  float* sum;
  float* output;

  Scratch(std::byte* area, int64_t dim) {
    Cutter cutter(area);
    scores = cutter.Take<int32_t>(kInt16Keys * kInt16Lanes);
    queries = cutter.Take<int16_t>(Int16Dim(dim) * kInt16Lanes);
    output = cutter.Take<float>(dim * kInt16Lanes);
    query_scales = cutter.Take<float>(kInt16Lanes);
    maximum = cutter.Take<float>(kInt16Lanes);
    sum = cutter.Take<float>(kInt16Lanes);
    OCTAVO_DCHECK(static_cast<size_t>(cutter.used()) <=
                  AttentionScratchBytes(static_cast<int>(dim)));
  }
};

void RunTask(const AttentionInt16Kernels& kernels, const FullAttentionArgs& args,
             const HeadTask& task, const Int16Heads::Head& head, const Scratch& scratch) {
  const int64_t dim = args.head_dim;
  const HeadRows queries = RowsOf(args.q, task.query, task.num_queries, task.head, dim);
  kernels.pack_queries(queries, args.scale * kLog2E, scratch.queries, scratch.query_scales);
  std::fill_n(scratch.maximum, kInt16Lanes, -std::numeric_limits<float>::infinity());
  std::fill_n(scratch.sum, kInt16Lanes, 0.0f);
  std::fill_n(scratch.output, dim * kInt16Lanes, 0.0f);

  Int16Block block;
  block.queries = scratch.queries;
  block.query_scales = scratch.query_scales;
  block.dim = dim;
  block.scores = scratch.scores;
  block.maximum = scratch.maximum;
  block.sum = scratch.sum;
  block.output = scratch.output;
  const int64_t rows = task.segment_end - task.segment_begin;
  for (int64_t b = 0; b < KeyBlocks(rows); ++b) {
    block.keys = head.keys + b * kInt16Keys * Int16Dim(dim);
    block.key_scale = head.key_scales[b];
    block.values = head.values + b * dim * kInt16Keys;
    block.num_keys = std::min(kInt16Keys, rows - b * kInt16Keys);
    kernels.attend(block);
  }
  kernels.finish(block, head.value_scale, task.num_queries,
                 args.out.row(task.query) + task.head * dim, args.out.row_stride);
}

}  // namespace

Int16Heads::Int16Heads(int num_heads, int head_dim, int64_t longest)
    : head_dim_(head_dim),
      longest_(longest),
      heads_per_group_(HeadsPerGroup(num_heads, HeadBytes(head_dim, longest))),
      storage_(Bytes(num_heads, head_dim, longest)) {}

size_t Int16Heads::Bytes(int num_heads, int head_dim, int64_t longest) {
  const int64_t head_bytes = HeadBytes(head_dim, longest);
  return static_cast<size_t>(HeadsPerGroup(num_heads, head_bytes) * head_bytes);
}

Int16Heads::Head Int16Heads::head(int64_t index_in_group) {
  Cutter cutter(storage_.data() + index_in_group * HeadBytes(head_dim_, longest_));
  return CutHead(&cutter, head_dim_, longest_);
}

void Int16Heads::Pack(const Context& context, const FullAttentionArgs& args, int64_t segment,
                      int64_t head) {
  const int64_t group = head / heads_per_group_;
  if (packed_segment_ == segment && packed_group_ == group) return;
  const int64_t rows = SegmentRows(args, segment);
  const int64_t dim = args.head_dim;
  OCTAVO_CHECK(dim == head_dim_ && rows <= longest_, rows, " rows of ", dim, ", made for ",
               longest_, " of ", head_dim_);
  const AttentionInt16Kernels& kernels = context.kernels->attention_int16;
  const int64_t begin = args.cu_seqlens[static_cast<size_t>(segment)];
  const int64_t first_head = group * heads_per_group_;
  const int64_t count = std::min<int64_t>(heads_per_group_, args.num_heads - first_head);
  const int64_t blocks = KeyBlocks(rows);
  // Calls body(head, its rows of k and v, block) for all blocks of all heads of the group.
  const auto for_blocks = [&](const auto& body) {
    context.pool->ParallelFor(count * blocks, 1, [&](int64_t from, int64_t to, int) {
      for (int64_t i = from; i < to; ++i) {
        const int64_t b = i % blocks;
        const int64_t row = begin + b * kInt16Keys;
        const int64_t block_rows = std::min(kInt16Keys, begin + rows - row);
        const int64_t h = first_head + i / blocks;
        body(this->head(i / blocks), RowsOf(args.k, row, block_rows, h, dim),
             RowsOf(args.v, row, block_rows, h, dim), b);
      }
    });
  };
  for_blocks([&](const Head& to, const HeadRows& k, const HeadRows& v, int64_t b) {
    kernels.sum_rows(k, to.key_sums + b * dim);
    kernels.largest_of_rows(v, to.largest + b * dim);
  });
  for (int64_t i = 0; i < count; ++i) ReduceBlocks(this->head(i), dim, rows);
  for_blocks([&](const Head& to, const HeadRows& k, const HeadRows& v, int64_t b) {
    kernels.pack_keys(k, to.key_mean, to.keys + b * kInt16Keys * Int16Dim(dim), to.key_scales + b);
    kernels.pack_values(v, to.inverse, to.values + b * dim * kInt16Keys);
  });
  packed_segment_ = segment;
  packed_group_ = group;
}

bool PrefersInt16Attention(const KernelTable& kernels) noexcept {
  return kernels.attention_int16.is_preferred;
}

int64_t FullAttentionInt16Tasks(const FullAttentionArgs& args) noexcept {
  return CountHeadTasks(args, kInt16Lanes);
}

void FullAttentionInt16(const Context& context, const FullAttentionArgs& args, Int16Heads* heads,
                        int64_t first_task, int64_t num_tasks) noexcept {
  CheckFullAttention(context, args);
  OCTAVO_CHECK(first_task >= 0 && num_tasks >= 0 &&
               first_task + num_tasks <= FullAttentionInt16Tasks(args));
  ForHeadGroups(
      context, args, {kInt16Lanes, heads->heads_per_group(), first_task, num_tasks},
      [&](int64_t segment, int64_t head) { heads->Pack(context, args, segment, head); },
      [&](const HeadTask& task, int thread) {
        const Scratch scratch(context.workspace->ThreadScratch(thread), args.head_dim);
        RunTask(context.kernels->attention_int16, args, task, heads->head(task.head_in_group),
                scratch);
      });
}

}  // namespace octavo::ops
