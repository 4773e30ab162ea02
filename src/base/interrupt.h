// SIGINT and SIGTERM as a call instead of an end.
#ifndef OCTAVO_BASE_INTERRUPT_H_
#define OCTAVO_BASE_INTERRUPT_H_

#include <functional>
#include <thread>

namespace octavo {

// While it lives, the first SIGINT or SIGTERM calls `action` on a thread of its own; the second
// ends the program at once with exit code 130. Threads started meanwhile never see the signals, so
// it is made before them. One at a time.
class InterruptWatcher {
 public:
  explicit InterruptWatcher(std::function<void()> action);
  ~InterruptWatcher();
  InterruptWatcher(const InterruptWatcher&) = delete;
  InterruptWatcher& operator=(const InterruptWatcher&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_INTERRUPT_H_
