// Workspace: scratch memory sized once at load; nothing is allocated while a model runs.
#ifndef OCTAVO_OPS_WORKSPACE_H_
#define OCTAVO_OPS_WORKSPACE_H_

#include <cstddef>
#include <cstdint>

#include "base/memory_reservation.h"

namespace octavo {

// An arena used as a stack, and one private scratch area per thread for the insides of ops.
// Owned by the leader thread.
class Workspace {
 public:
  // Throws kResourceExhausted. Memory counts as resident once it is used; in large pages where the
  // system has them, as ops walk columns of matrices far apart.
  Workspace(size_t arena_bytes, int num_threads, size_t scratch_bytes_per_thread);

  // Uninitialised, 64-byte aligned; lives until the enclosing Scope ends.
  // REQUIRES: it fits (CHECK).
  template <typename T>
  T* Allocate(int64_t count) {
    return static_cast<T*>(AllocateBytes(static_cast<size_t>(count) * sizeof(T)));
  }

  // The thread's private area, at least scratch_bytes_per_thread, 64-byte aligned. Its content does
  // not survive the next op.
  std::byte* ThreadScratch(int thread);
  size_t scratch_bytes_per_thread() const { return scratch_bytes_per_thread_; }

  size_t used_bytes() const { return used_bytes_; }
  size_t peak_bytes() const { return peak_bytes_; }
  size_t total_bytes() const { return arena_.size_bytes() + scratch_.size_bytes(); }

  // Gives back, at its end, everything allocated since it began.
  class Scope {
   public:
    explicit Scope(Workspace* workspace) : workspace_(workspace), mark_(workspace->used_bytes_) {}
    ~Scope() { workspace_->used_bytes_ = mark_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Workspace* workspace_;
    size_t mark_;
  };

 private:
  void* AllocateBytes(size_t bytes);
  MemoryReservation arena_;
  MemoryReservation scratch_;
  size_t scratch_bytes_per_thread_;
  size_t used_bytes_ = 0;
  size_t peak_bytes_ = 0;
};

}  // namespace octavo

#endif  // OCTAVO_OPS_WORKSPACE_H_
