// Canceller of octavo/document.h.
#include <map>
#include <mutex>
#include <utility>

#include "octavo/document.h"

namespace octavo {

struct Canceller::State {
  mutable std::mutex mutex;  // held while actions run, so that RemoveAction waits for them
  bool is_cancelled = false;
  int next_handle = 1;
  std::map<int, std::function<void()>> actions;
};

Canceller::Canceller() : state_(std::make_unique<State>()) {}
Canceller::~Canceller() = default;

void Canceller::Cancel() {
  const std::lock_guard lock(state_->mutex);
  if (std::exchange(state_->is_cancelled, true)) return;
  for (const auto& [handle, action] : state_->actions) action();
}

bool Canceller::cancelled() const {
  const std::lock_guard lock(state_->mutex);
  return state_->is_cancelled;
}

int Canceller::AddAction(std::function<void()> action) {
  const std::lock_guard lock(state_->mutex);
  if (state_->is_cancelled) action();
  const int handle = state_->next_handle++;
  state_->actions.emplace(handle, std::move(action));
  return handle;
}

void Canceller::RemoveAction(int handle) {
  const std::lock_guard lock(state_->mutex);
  state_->actions.erase(handle);
}

}  // namespace octavo
