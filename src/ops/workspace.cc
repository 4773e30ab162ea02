#include "ops/workspace.h"

#include <algorithm>

#include "base/check.h"

namespace octavo {
namespace {

constexpr size_t kAlignment = 64;

size_t RoundUp(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Workspace::Workspace(size_t arena_bytes, int num_threads, size_t scratch_bytes_per_thread)
    : arena_(RoundUp(arena_bytes)),
      scratch_(RoundUp(scratch_bytes_per_thread) * static_cast<size_t>(num_threads)),
      scratch_bytes_per_thread_(RoundUp(scratch_bytes_per_thread)) {
  arena_.AdviseHugePages();
  scratch_.AdviseHugePages();
}

std::byte* Workspace::ThreadScratch(int thread) {
  const size_t offset = static_cast<size_t>(thread) * scratch_bytes_per_thread_;
  OCTAVO_CHECK(thread >= 0 && offset + scratch_bytes_per_thread_ <= scratch_.size_bytes(),
               "thread ", thread, ", scratch for ", scratch_.size_bytes(), " bytes");
  return scratch_.data() + offset;
}

void* Workspace::AllocateBytes(size_t bytes) {
  const size_t rounded = RoundUp(bytes);
  OCTAVO_CHECK(rounded <= arena_.size_bytes() - used_bytes_, bytes, " bytes wanted, ", used_bytes_,
               " of ", arena_.size_bytes(), " used");
  void* p = arena_.data() + used_bytes_;
  used_bytes_ += rounded;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
  return p;
}

}  // namespace octavo
