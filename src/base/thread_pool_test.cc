#include "base/thread_pool.h"

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

// Every index once, every range within its grain, every thread number in range.
void ExpectCovers(ThreadPool* pool, int64_t count, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
  std::atomic<int> wrong{0};
  pool->ParallelFor(count, grain, [&](int64_t begin, int64_t end, int thread) {
    const bool ok = begin >= 0 && begin < end && end <= count && end - begin <= grain &&
                    thread >= 0 && thread < pool->num_threads();
    if (!ok) wrong.fetch_add(1);
    for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
  });
  EXPECT_EQ(wrong.load(), 0);
  for (const auto& times : seen) ASSERT_EQ(times.load(), 1) << count << " by " << grain;
}

class ThreadPoolOf : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, CoversEveryCountAndGrainOnce) {
  ThreadPool pool(GetParam());
  for (const int64_t count : {1, 2, 3, 7, 64, 1000}) {
    for (const int64_t grain : {1, 2, 3, 64, 5000}) ExpectCovers(&pool, count, grain);
  }
}

TEST_P(ThreadPoolOf, EmptyLoopCallsNothing) {
  ThreadPool pool(GetParam());
  int calls = 0;
  pool.ParallelFor(0, 1, [&](int64_t, int64_t, int) { ++calls; });
  pool.ParallelFor(-5, 1, [&](int64_t, int64_t, int) { ++calls; });
  EXPECT_EQ(calls, 0);
}

// Writes of one loop must be visible to the next one and to the caller without any other means:
// plain memory, checked by the thread sanitizer too.
TEST_P(ThreadPoolOf, LoopsFollowEachOther) {
  ThreadPool pool(GetParam());
  std::vector<int64_t> values(97, 0);
  constexpr int kLoops = 5000;
  for (int loop = 0; loop < kLoops; ++loop) {
    pool.ParallelFor(97, 5, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        // A neighbour's value of the loop before.
        values[static_cast<size_t>(i)] += i == 0 ? 1 : 2;
      }
    });
    ASSERT_EQ(values[96], 2 * (loop + 1));
  }
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), kLoops * (1 + 96 * 2));
}

TEST_P(ThreadPoolOf, WakesAfterSleeping) {
  ThreadPool pool(GetParam());
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // far beyond the spin time
    ExpectCovers(&pool, 64, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, testing::Values(1, 2, 3, 8, 33));

TEST(ThreadPool, ThreadNumbersAreNotSharedWithinALoop) {
  ThreadPool pool(4);
  std::vector<std::atomic<int>> inside(4);
  std::atomic<int> clashes{0};
  for (int loop = 0; loop < 200; ++loop) {
    pool.ParallelFor(64, 1, [&](int64_t, int64_t, int thread) {
      if (inside[static_cast<size_t>(thread)].fetch_add(1) != 0) clashes.fetch_add(1);
      inside[static_cast<size_t>(thread)].fetch_sub(1);
    });
  }
  EXPECT_EQ(clashes.load(), 0);
}

TEST(ThreadPool, WorkersTakePart) {
  ThreadPool pool(2);
  std::atomic<int> threads_seen{0};
  // Each range waits for the other: only two threads together can finish.
  pool.ParallelFor(2, 1, [&](int64_t, int64_t, int) {
    threads_seen.fetch_add(1);
    while (threads_seen.load() < 2) std::this_thread::yield();
  });
  EXPECT_EQ(threads_seen.load(), 2);
}

TEST(ThreadPool, IdlePoolUsesNoProcessorTime) {
  ThreadPool pool(4);
  ExpectCovers(&pool, 100, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto cpu_us = [] {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L + usage.ru_utime.tv_usec +
           usage.ru_stime.tv_usec;
  };
  const long before = cpu_us();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(cpu_us() - before, 20000);
}

TEST(ThreadPool, PoolsLiveAndDieInAnyOrder) {
  for (int i = 0; i < 50; ++i) {
    ThreadPool a(3);
    ThreadPool b(2);
    if (i % 2 == 0) ExpectCovers(&a, 10, 1);
    if (i % 3 == 0) ExpectCovers(&b, 10, 1);
  }
}

TEST(ThreadPoolDeathTest, NestedLoopStops) {
  EXPECT_DEATH(
      {
        ThreadPool pool(2);
        pool.ParallelFor(4, 1, [&](int64_t, int64_t, int) {
          pool.ParallelFor(2, 1, [](int64_t, int64_t, int) {});
        });
      },
      "ParallelFor inside or beside another");
}

TEST(ThreadPoolDeathTest, ImpossibleThreadCountsAndGrainsStop) {
  EXPECT_DEATH(ThreadPool(0), "num_threads");
  EXPECT_DEATH(ThreadPool(257), "num_threads");
  EXPECT_DEATH(ThreadPool(1).ParallelFor(1, 0, [](int64_t, int64_t, int) {}), "grain");
}

TEST(ThreadPool, DefaultCountIsWithinTheMachine) {
  const int threads = DefaultThreadCount();
  EXPECT_GE(threads, 1);
  EXPECT_LE(threads, std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TEST(ThreadPool, SaysSoWhenTheSystemGivesNoMoreThreads) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__aarch64__)
  GTEST_SKIP() << "sanitizers and qemu-user do not run under a limit on address space";
#else
  const auto run = [] {
    // Room for a few stacks of 8 MB, far from 255.
    const struct rlimit low = {rlim_t{400} << 20, rlim_t{400} << 20};
    setrlimit(RLIMIT_AS, &low);
    try {
      const ThreadPool pool(256);
    } catch (const Error& error) {
      std::_Exit(ExitCode(error.code()));
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(ExitCode(ErrorCode::kResourceExhausted)), "");
#endif
}

}  // namespace
}  // namespace octavo
