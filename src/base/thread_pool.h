// A fixed set of workers and one parallel loop. Workers spin briefly, then sleep on a futex.
#ifndef OCTAVO_BASE_THREAD_POOL_H_
#define OCTAVO_BASE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "base/function_ref.h"

namespace octavo {

// Threads that compute should use: physical cores in the affinity mask, at most the cgroup's CPU
// quota (rounded up), at least 1.
int DefaultThreadCount();

// Owned by one leader thread (the engine's); ParallelFor is not reentrant and is called by one
// thread at a time. An idle pool uses no CPU.
class ThreadPool {
 public:
  // num_threads counts the calling thread: 1 starts no worker. REQUIRES: 1 <= num_threads <= 256.
  // Throws kResourceExhausted when the system gives no more threads.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls body(begin, end, thread) for disjoint ranges that cover [0, count), each at most `grain`
  // long, claimed from a shared counter; thread is in [0, num_threads). Returns when all are done.
  // Which thread runs which range is not fixed: results must not depend on it.
  // body must not throw. Allocates nothing.
  void ParallelFor(int64_t count, int64_t grain,
                   FunctionRef<void(int64_t begin, int64_t end, int thread)> body);

 private:
  struct State;
  int num_threads_;
  std::unique_ptr<State> state_;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_THREAD_POOL_H_
