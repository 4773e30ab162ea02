#include "server/work_queue.h"

#include "base/check.h"

namespace octavo {

WorkQueue::WorkQueue(int num_threads) {
  OCTAVO_CHECK(num_threads > 0, num_threads, " threads");
  threads_.reserve(static_cast<size_t>(num_threads));
  try {
    for (int i = 0; i < num_threads; ++i) threads_.emplace_back([this] { Run(); });
  } catch (...) {
    Close();
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

WorkQueue::~WorkQueue() {
  Close();
  for (std::thread& thread : threads_) thread.join();
}

uint64_t WorkQueue::Add(int64_t priority, Job job) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return 0;
  const uint64_t number = next_number_++;
  waiting_.emplace(Key{priority, number}, std::move(job));
  priorities_.emplace(number, priority);
  changed_.notify_one();
  return number;
}

bool WorkQueue::Remove(uint64_t number) {
  Job dropped;  // ends outside the lock: what it owns may call back
  const std::lock_guard lock(mutex_);
  const auto priority = priorities_.find(number);
  if (priority == priorities_.end()) return false;
  const auto job = waiting_.find(Key{priority->second, number});
  dropped = std::move(job->second);
  waiting_.erase(job);
  priorities_.erase(priority);
  return true;
}

void WorkQueue::Close() {
  std::map<Key, Job> dropped;
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  dropped.swap(waiting_);
  priorities_.clear();
  changed_.notify_all();
}

void WorkQueue::Run() {
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_closed_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto first = waiting_.begin();
      job = std::move(first->second);
      priorities_.erase(first->first.second);
      waiting_.erase(first);
    }
    job();
  }
}

}  // namespace octavo
