#include "base/thread_pool.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/cgroup.h"
#include "base/check.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

using Clock = std::chrono::steady_clock;

// Long enough to bridge the serial parts between two loops of one step of the model, short enough
// that an idle pool is asleep before anybody notices.
constexpr std::chrono::microseconds kSpinTime{50};

// Who sleeps on the futex: the two kinds are woken apart.
constexpr uint32_t kWorkers = 1;
constexpr uint32_t kLeader = 2;

void FutexWait(std::atomic<uint32_t>* word, uint32_t expected, uint32_t who) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT_BITSET_PRIVATE, expected,
            nullptr, nullptr, who);
}

void FutexWake(std::atomic<uint32_t>* word, int count, uint32_t who) {
  ::syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_BITSET_PRIVATE, count, nullptr,
            nullptr, who);
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

// True as soon as done() is; false when the spin time is over.
template <typename Done>
bool SpinUntil(const Done& done) {
  const Clock::time_point end = Clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      Pause();
    }
  } while (Clock::now() < end);
  return false;
}

// The state word: a job number, whether the job is open to workers, and how many are in it.
constexpr uint32_t kActiveMask = 0x1FF;
constexpr uint32_t kOpen = 0x200;
constexpr uint32_t kStop = 0x400;
constexpr uint32_t kJobUnit = 0x800;
constexpr uint32_t kJobMask = ~(kJobUnit - 1);

// First CPU of the core that `cpu` belongs to; `cpu` itself if the OS does not tell.
int CoreOf(int cpu) {
  const std::string path =
      "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
  std::ifstream in(path);
  int first = 0;
  return (in >> first) ? first : cpu;
}

int CoresInAffinityMask() {
  // The kernel refuses a mask smaller than its own: grow until it fits.
  for (int max_cpus = 1024; max_cpus <= 65536; max_cpus *= 4) {
    cpu_set_t* set = CPU_ALLOC(static_cast<size_t>(max_cpus));
    if (set == nullptr) break;
    const size_t bytes = CPU_ALLOC_SIZE(static_cast<size_t>(max_cpus));
    CPU_ZERO_S(bytes, set);
    std::set<int> cores;
    const bool ok = ::sched_getaffinity(0, bytes, set) == 0;
    for (int cpu = 0; ok && cpu < max_cpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<size_t>(cpu), bytes, set)) cores.insert(CoreOf(cpu));
    }
    CPU_FREE(set);
    if (!cores.empty()) return static_cast<int>(cores.size());
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int DefaultThreadCount() {
  int threads = CoresInAffinityMask();
  if (const auto quota = ReadCgroupLimits().cpus; quota && *quota < threads) {
    threads = static_cast<int>(std::ceil(*quota));
  }
  return std::clamp(threads, 1, 256);
}

// A loop is published by one store to `word`. Workers join it by counting themselves into the word
// while it is open; the leader works too, closes it when no range is left, and waits only for those
// that joined. A worker that wakes late finds it closed and is never waited for.
struct ThreadPool::State {
  alignas(64) std::atomic<uint32_t> word{0};
  std::atomic<int> num_sleeping{0};
  std::atomic<bool> leader_sleeps{false};
  std::atomic<bool> busy{false};
  alignas(64) std::atomic<int64_t> next_range{0};
  // Written while no worker is in a job, read by those who joined.
  alignas(64) int64_t count = 0;
  int64_t grain = 1;
  int64_t num_ranges = 0;
  FunctionRef<void(int64_t, int64_t, int)>* body = nullptr;
  std::vector<std::thread> workers;

  void RunRanges(int thread) noexcept {
    for (;;) {
      const int64_t range = next_range.fetch_add(1, std::memory_order_relaxed);
      if (range >= num_ranges) return;
      const int64_t begin = range * grain;
      (*body)(begin, std::min(begin + grain, count), thread);
    }
  }

  // Waits for a word that differs from a closed or already seen job; returns it.
  uint32_t AwaitJob(uint32_t seen_job) {
    const auto is_news = [seen_job](uint32_t value) {
      return (value & kStop) != 0 || ((value & kOpen) != 0 && (value & kJobMask) != seen_job);
    };
    uint32_t value = 0;
    const auto check = [this, &value, &is_news] {
      value = word.load(std::memory_order_acquire);
      return is_news(value);
    };
    if (SpinUntil(check)) return value;
    num_sleeping.fetch_add(1, std::memory_order_seq_cst);
    for (;;) {
      value = word.load(std::memory_order_seq_cst);
      if (is_news(value)) break;
      FutexWait(&word, value, kWorkers);
    }
    num_sleeping.fetch_sub(1, std::memory_order_relaxed);
    return value;
  }

  // Counts the caller into the job of `value`; false if it closed meanwhile.
  bool Join(uint32_t value) {
    const uint32_t job = value & kJobMask;
    while ((value & kOpen) != 0 && (value & kJobMask) == job) {
      if (word.compare_exchange_weak(value, value + 1, std::memory_order_acq_rel,
                                     std::memory_order_acquire)) {
        return true;
      }
    }
    return false;
  }

  void Leave() {
    const uint32_t before = word.fetch_sub(1, std::memory_order_seq_cst);
    const bool was_last = (before & kActiveMask) == 1 && (before & kOpen) == 0;
    if (was_last && leader_sleeps.load(std::memory_order_seq_cst)) FutexWake(&word, 1, kLeader);
  }

  void Work(int thread) {
    uint32_t seen_job = word.load(std::memory_order_relaxed) & kJobMask;
    // The first job may have been published before this thread ran: do not call it seen.
    seen_job -= kJobUnit;
    for (;;) {
      const uint32_t value = AwaitJob(seen_job);
      if ((value & kStop) != 0) return;
      seen_job = value & kJobMask;
      if (!Join(value)) continue;
      RunRanges(thread);
      Leave();
    }
  }

  void Publish(uint32_t flags) {
    const uint32_t job = (word.load(std::memory_order_relaxed) & kJobMask) + kJobUnit;
    word.store(job | flags, std::memory_order_seq_cst);
  }

  void Stop() {
    Publish(kStop);
    FutexWake(&word, INT_MAX, kWorkers);
    for (std::thread& worker : workers) worker.join();
  }

  void AwaitWorkers() {
    word.fetch_and(~kOpen, std::memory_order_seq_cst);
    const auto all_left = [this] {
      return (word.load(std::memory_order_acquire) & kActiveMask) == 0;
    };
    if (SpinUntil(all_left)) return;
    leader_sleeps.store(true, std::memory_order_seq_cst);
    for (;;) {
      const uint32_t value = word.load(std::memory_order_seq_cst);
      if ((value & kActiveMask) == 0) break;
      FutexWait(&word, value, kLeader);
    }
    leader_sleeps.store(false, std::memory_order_relaxed);
  }
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(num_threads), state_(std::make_unique<State>()) {
  OCTAVO_CHECK(num_threads >= 1 && num_threads <= 256, num_threads);
  state_->workers.reserve(static_cast<size_t>(num_threads - 1));
  try {
    for (int thread = 1; thread < num_threads; ++thread) {
      state_->workers.emplace_back([state = state_.get(), thread] { state->Work(thread); });
    }
  } catch (const std::system_error& error) {
    const size_t started = state_->workers.size();
    state_->Stop();
    throw Error(ErrorCode::kResourceExhausted,
                StrCat("worker thread ", started + 1, " of ", num_threads - 1,
                       " cannot be started: ", error.what()));
  }
}

ThreadPool::~ThreadPool() {
  OCTAVO_CHECK(!state_->busy.load(), "a thread pool is destroyed while its loop runs");
  state_->Stop();
}

void ThreadPool::ParallelFor(int64_t count, int64_t grain,
                             FunctionRef<void(int64_t, int64_t, int)> body) {
  OCTAVO_CHECK(grain >= 1, grain);
  if (count <= 0) return;
  OCTAVO_CHECK(!state_->busy.exchange(true, std::memory_order_acquire),
               "ParallelFor inside or beside another ParallelFor of one pool");
  State& state = *state_;
  state.count = count;
  state.grain = grain;
  state.num_ranges = (count - 1) / grain + 1;
  state.body = &body;
  state.next_range.store(0, std::memory_order_relaxed);
  const bool alone = num_threads_ == 1 || state.num_ranges == 1;
  if (!alone) {
    state.Publish(kOpen);
    if (state.num_sleeping.load(std::memory_order_seq_cst) > 0) {
      const int64_t wanted = std::min<int64_t>(num_threads_ - 1, state.num_ranges - 1);
      FutexWake(&state.word, static_cast<int>(wanted), kWorkers);
    }
  }
  state.RunRanges(0);
  if (!alone) state.AwaitWorkers();
  state.busy.store(false, std::memory_order_release);
}

}  // namespace octavo
