#include "ops/workspace.h"

#include <algorithm>

#include "base/check.h"

namespace octavo {
namespace {

size_t RoundUp(size_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace

Workspace::Workspace(size_t arena_bytes, int num_threads, size_t scratch_bytes_per_thread)
    : arena_(RoundUp(arena_bytes)),
      scratch_(RoundUp(scratch_bytes_per_thread) * static_cast<size_t>(num_threads)),
      scratch_bytes_per_thread_(RoundUp(scratch_bytes_per_thread)) {}

std::byte* Workspace::ThreadScratch(int thread) {
  const size_t offset = static_cast<size_t>(thread) * scratch_bytes_per_thread_;
  OCTAVO_CHECK(thread >= 0 && offset + scratch_bytes_per_thread_ <= scratch_.size(), "thread ",
               thread, ", scratch for ", scratch_.size(), " bytes");
  return scratch_.data() + offset;
}

void* Workspace::AllocateBytes(size_t bytes) {
  const size_t rounded = RoundUp(bytes);
  OCTAVO_CHECK(rounded <= arena_.size() - used_bytes_, bytes, " bytes wanted, ", used_bytes_,
               " of ", arena_.size(), " used");
  void* p = arena_.data() + used_bytes_;
  used_bytes_ += rounded;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return p;
}

}  // namespace octavo
