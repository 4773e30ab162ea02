#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "octavo/document.h"

namespace octavo {
namespace {

TEST(Canceller, RunsActionsOnceAndNotAfterRemoval) {
  Canceller canceller;
  int first = 0;
  int second = 0;
  canceller.AddAction([&] { ++first; });
  const int handle = canceller.AddAction([&] { ++second; });
  canceller.RemoveAction(handle);
  EXPECT_FALSE(canceller.cancelled());
  canceller.Cancel();
  canceller.Cancel();
  EXPECT_TRUE(canceller.cancelled());
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
}

TEST(Canceller, RunsALateActionAtOnce) {
  Canceller canceller;
  canceller.Cancel();
  int count = 0;
  canceller.AddAction([&] { ++count; });
  EXPECT_EQ(count, 1);
}

TEST(Canceller, IsSafeFromTwoThreads) {
  for (int round = 0; round < 50; ++round) {
    Canceller canceller;
    std::atomic<int> count = 0;
    std::jthread other([&] { canceller.Cancel(); });
    for (int i = 0; i < 20; ++i) {
      const int handle = canceller.AddAction([&] { ++count; });
      canceller.RemoveAction(handle);
    }
    other.join();
    EXPECT_TRUE(canceller.cancelled());
  }
}

}  // namespace
}  // namespace octavo
