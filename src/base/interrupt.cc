#include "base/interrupt.h"

#include <csignal>
#include <ctime>
#include <utility>

#include <pthread.h>
#include <unistd.h>

namespace octavo {
namespace {

sigset_t InterruptSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

InterruptWatcher::InterruptWatcher(std::function<void()> action) {
  const sigset_t signals = InterruptSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  thread_ = std::jthread([action = std::move(action), signals](const std::stop_token& stop) {
    bool was_called = false;
    while (!stop.stop_requested()) {
      // Short enough to end the program without delay, long enough to cost nothing.
      const timespec wait{0, 100'000'000};
      if (sigtimedwait(&signals, nullptr, &wait) < 0) continue;
      if (was_called) _exit(130);
      was_called = true;
      action();
    }
  });
}

InterruptWatcher::~InterruptWatcher() {
  thread_.request_stop();
  thread_.join();
  const sigset_t signals = InterruptSignals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace octavo
