// HeadGroups: the order in which full attention works. Segments, in each the heads in groups whose
// keys and values are packed together, in a group head by head, in a head blocks of queries.
#ifndef OCTAVO_OPS_HEAD_GROUPS_H_
#define OCTAVO_OPS_HEAD_GROUPS_H_

#include <algorithm>
#include <cstdint>

#include "base/thread_pool.h"
#include "ops/attention.h"
#include "ops/context.h"

namespace octavo::ops {

// Bytes of packed heads that are held at once: enough tasks for many threads, and small beside an
// image.
inline constexpr int64_t kHeadGroupBytes = int64_t{4} << 20;

inline int HeadsPerGroup(int num_heads, int64_t head_bytes) {
  const int64_t fit = kHeadGroupBytes / std::max<int64_t>(1, head_bytes);
  return static_cast<int>(std::clamp<int64_t>(fit, 1, std::max(1, num_heads)));
}

inline int64_t SegmentRows(const FullAttentionArgs& args, int64_t segment) {
  const auto s = static_cast<size_t>(segment);
  return args.cu_seqlens[s + 1] - args.cu_seqlens[s];
}

// One head and a block of queries of one segment.
struct HeadTask {
  int64_t segment_begin, segment_end;
  int64_t query, num_queries;
  int64_t head;
  int64_t head_in_group;
};

// Tasks of blocks of `lanes` queries.
inline int64_t CountHeadTasks(const FullAttentionArgs& args, int64_t lanes) {
  int64_t tasks = 0;
  for (int64_t s = 0; s + 1 < static_cast<int64_t>(args.cu_seqlens.size()); ++s) {
    tasks += (SegmentRows(args, s) + lanes - 1) / lanes * args.num_heads;
  }
  return tasks;
}

// Tasks [first, first + count) of blocks of `lanes` queries.
struct HeadTasks {
  int64_t lanes;
  int64_t heads_per_group;
  int64_t first;
  int64_t count;
};

// Calls pack(segment, first head of a group) on this thread, then run(task, thread) for its tasks
// on all threads, one group after the other.
template <typename Pack, typename Run>
void ForHeadGroups(const Context& context, const FullAttentionArgs& args, const HeadTasks& tasks,
                   const Pack& pack, const Run& run) {
  const int64_t lanes = tasks.lanes;
  const int64_t heads_per_group = tasks.heads_per_group;
  int64_t first = tasks.first;
  int64_t segment = 0;
  int64_t segment_task = 0;  // first task of the segment
  const int64_t end = first + tasks.count;
  while (first < end) {
    const int64_t blocks = (SegmentRows(args, segment) + lanes - 1) / lanes;
    if (first >= segment_task + blocks * args.num_heads) {
      segment_task += blocks * args.num_heads;
      ++segment;
      continue;
    }
    const int64_t group_head = (first - segment_task) / blocks / heads_per_group * heads_per_group;
    const int64_t end_head = std::min<int64_t>(group_head + heads_per_group, args.num_heads);
    const int64_t num = std::min(end, segment_task + end_head * blocks) - first;
    pack(segment, group_head);
    const int64_t begin_row = args.cu_seqlens[static_cast<size_t>(segment)];
    const int64_t end_row = begin_row + SegmentRows(args, segment);
    context.pool->ParallelFor(num, 1, [&](int64_t from, int64_t to, int thread) {
      for (int64_t i = first - segment_task + from; i < first - segment_task + to; ++i) {
        const int64_t head = i / blocks;
        const int64_t query = begin_row + i % blocks * lanes;
        run(HeadTask{begin_row, end_row, query, std::min(lanes, end_row - query), head,
                     head - group_head},
            thread);
      }
    });
    first += num;
  }
}

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_HEAD_GROUPS_H_
