#include "base/interrupt.h"

#include <atomic>
#include <chrono>
#include <csignal>

#include <gtest/gtest.h>
#include <unistd.h>

namespace octavo {
namespace {

bool WaitFor(const std::atomic<int>& count, int wanted) {
  for (int i = 0; i < 500 && count < wanted; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return count == wanted;
}

TEST(InterruptWatcher, CallsTheActionForTheFirstSignal) {
  std::atomic<int> count = 0;
  {
    const InterruptWatcher watcher([&] { ++count; });
    kill(getpid(), SIGTERM);
    EXPECT_TRUE(WaitFor(count, 1));
  }
  const InterruptWatcher again([&] { ++count; });
  kill(getpid(), SIGINT);
  EXPECT_TRUE(WaitFor(count, 2));
}

TEST(InterruptWatcherDeathTest, EndsTheProgramAtTheSecondSignal) {
  EXPECT_EXIT(
      {
        std::atomic<int> count = 0;
        const InterruptWatcher watcher([&] { ++count; });
        kill(getpid(), SIGINT);
        WaitFor(count, 1);
        kill(getpid(), SIGINT);
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      testing::ExitedWithCode(130), "");
}

}  // namespace
}  // namespace octavo
