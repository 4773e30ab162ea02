#include "ops/head_groups.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace octavo::ops {
namespace {

TEST(HeadGroups, TakeAsManyHeadsAsFit) {
  EXPECT_EQ(HeadsPerGroup(16, kHeadGroupBytes), 1);
  EXPECT_EQ(HeadsPerGroup(16, kHeadGroupBytes + 1), 1);
  EXPECT_EQ(HeadsPerGroup(16, kHeadGroupBytes / 3), 3);
  EXPECT_EQ(HeadsPerGroup(16, 1), 16);
  EXPECT_EQ(HeadsPerGroup(2, 0), 2);
}

// Whatever the split into calls: every block of every head once, after its group was packed.
TEST(HeadGroups, RunEveryTaskOnceAfterItsGroup) {
  ThreadPool pool(3);
  const Context context{nullptr, &pool, nullptr};
  const std::vector<int64_t> cu = {0, 0, 70, 71, 71, 271};
  FullAttentionArgs args;
  args.num_heads = 5;
  args.cu_seqlens = cu;
  const int64_t tasks = CountHeadTasks(args, 64);
  EXPECT_EQ(tasks, 5 * (2 + 1 + 4));
  for (const int64_t group : {1, 2, 5}) {
    for (const int64_t step : {int64_t{1}, int64_t{3}, int64_t{8}, tasks}) {
      std::mutex mutex;
      std::set<std::tuple<int64_t, int64_t>> seen;  // head, first query
      int64_t packed_begin = -1, packed_head = -1;
      for (int64_t first = 0; first < tasks; first += step) {
        ForHeadGroups(
            context, args, {64, group, first, std::min(step, tasks - first)},
            [&](int64_t segment, int64_t head) {
              packed_begin = cu[static_cast<size_t>(segment)];
              packed_head = head;
            },
            [&](const HeadTask& task, int) {
              const std::lock_guard lock(mutex);
              EXPECT_EQ(task.segment_begin, packed_begin);
              EXPECT_EQ(task.head - task.head_in_group, packed_head);
              EXPECT_LT(task.head_in_group, group);
              EXPECT_LE(task.query + task.num_queries, task.segment_end);
              EXPECT_TRUE(task.num_queries == 64 ||
                          task.query + task.num_queries == task.segment_end);
              EXPECT_TRUE(seen.insert({task.head, task.query}).second);
            });
      }
      EXPECT_EQ(seen.size(), static_cast<size_t>(tasks)) << group << ", " << step;
    }
  }
}

}  // namespace
}  // namespace octavo::ops
