// WorkQueue: jobs that block, on a fixed number of threads.
#ifndef OCTAVO_SERVER_WORK_QUEUE_H_
#define OCTAVO_SERVER_WORK_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace octavo {

// Safe from any thread.
class WorkQueue {
 public:
  using Job = std::function<void()>;

  // REQUIRES: num_threads > 0. Throws std::system_error.
  explicit WorkQueue(int num_threads);
  // Drops the jobs that wait, as Close does, and returns when those that run have ended.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Jobs of lower priority run first, equal ones in the order they came. A job must not throw.
  // Returns a number for Remove.
  uint64_t Add(int64_t priority, Job job);
  // Drops the job if it has not begun; says whether it did.
  bool Remove(uint64_t number);
  // Drops what waits and what is added from now on.
  void Close();

 private:
  using Key = std::pair<int64_t, uint64_t>;  // priority, number

  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, Job> waiting_;
  std::map<uint64_t, int64_t> priorities_;  // of those waiting
  uint64_t next_number_ = 1;
  bool is_closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace octavo

#endif  // OCTAVO_SERVER_WORK_QUEUE_H_
