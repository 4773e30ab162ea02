#include "server/work_queue.h"

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Keeps a queue's only thread busy until Open. The job has its share: it may outlive the gate.
class Gate {
 public:
  explicit Gate(WorkQueue* queue) {
    queue->Add(-1000, [shared = shared_] {
      shared->begun.set_value();
      shared->opened.get_future().wait();
    });
    shared_->begun.get_future().wait();
  }
  void Open() { shared_->opened.set_value(); }

 private:
  struct Shared {
    std::promise<void> begun, opened;
  };
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

TEST(WorkQueue, RunsByPriorityThenInOrder) {
  std::vector<int> order;
  WorkQueue queue(1);
  Gate gate(&queue);
  for (const auto& [priority, name] :
       std::vector<std::pair<int, int>>{{0, 1}, {5, 2}, {0, 3}, {-2, 4}, {5, 5}}) {
    queue.Add(priority, [&order, name = name] { order.push_back(name); });
  }
  std::promise<void> done;
  queue.Add(9, [&] { done.set_value(); });
  gate.Open();
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{4, 1, 3, 2, 5}));
}

TEST(WorkQueue, RunsNoMoreJobsAtOnceThanThreads) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::promise<void> all;
  std::atomic<int> left{64};
  WorkQueue queue(3);
  for (int i = 0; i < 64; ++i) {
    queue.Add(0, [&] {
      const int now = ++running;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::yield();
      --running;
      if (--left == 0) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_LE(most, 3);
}

TEST(WorkQueue, DropsAJobThatHasNotBegun) {
  bool has_run = false;
  WorkQueue queue(1);
  Gate gate(&queue);
  auto owned = std::make_shared<int>(1);
  const uint64_t number = queue.Add(0, [&has_run, owned] { has_run = true; });
  EXPECT_EQ(owned.use_count(), 2);
  EXPECT_TRUE(queue.Remove(number));
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_FALSE(queue.Remove(number));
  EXPECT_FALSE(queue.Remove(12345));
  std::promise<void> done;
  queue.Add(0, [&] { done.set_value(); });
  gate.Open();
  done.get_future().wait();
  EXPECT_FALSE(has_run);
}

TEST(WorkQueue, TakesNothingOnceClosed) {
  auto owned = std::make_shared<int>(1);
  WorkQueue queue(2);
  queue.Close();
  EXPECT_EQ(queue.Add(0, [owned] {}), 0u);
  EXPECT_EQ(owned.use_count(), 1);
}

// A dropped job may own what takes part in the queue again.
TEST(WorkQueue, LetsADroppedJobCallBack) {
  WorkQueue queue(1);
  Gate gate(&queue);
  struct CallsBack {
    WorkQueue* queue;
    ~CallsBack() { queue->Remove(1); }
  };
  const uint64_t number = queue.Add(0, [owned = std::make_shared<CallsBack>(CallsBack{&queue})] {});
  queue.Remove(number);
  queue.Add(0, [owned = std::make_shared<CallsBack>(CallsBack{&queue})] {});
  queue.Close();
  gate.Open();
}

}  // namespace
}  // namespace octavo
