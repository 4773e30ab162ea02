// Runs another program confined: limits on memory, CPU time, wall time and output, no network
// where the kernel allows unprivileged namespaces, no inherited descriptors.
#ifndef OCTAVO_BASE_CHILD_PROCESS_H_
#define OCTAVO_BASE_CHILD_PROCESS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_file.h"

namespace octavo {

struct ChildLimits {
  int64_t address_space_bytes = int64_t{2} << 30;
  int64_t output_bytes = int64_t{512} << 20;  // stdout collected
  int64_t file_bytes = 0;                     // largest file the child may write; 0: none
  int cpu_seconds = 120;
  int wall_seconds = 180;
  // Asked every 50 ms on the calling thread; true ends the child. Empty: never.
  std::function<bool()> is_cancelled = {};
};

struct ChildResult {
  int exit_code = 0;        // 128 + signal if a signal ended it
  bool timed_out = false;   // wall or CPU time was up
  bool cancelled = false;   // limits.is_cancelled said so; the child was ended
  bool output_cut = false;  // more than output_bytes were written; the child was ended
  std::string stdout_bytes;
  std::string stderr_text;  // at most 64 KiB
};

// Starts argv[0] (looked up in PATH), feeds it `stdin_bytes`, collects its output. The child can
// open `file`, where given, by the name that its ChildPath() says. Throws kNotFound (no such
// program), kIo. A crash, a non-zero exit or a limit is a result. Safe from any thread; blocks
// until the child is gone.
ChildResult RunChild(const std::vector<std::string>& argv, std::string_view stdin_bytes,
                     const ChildLimits& limits, const MemoryFile* file = nullptr);

}  // namespace octavo

#endif  // OCTAVO_BASE_CHILD_PROCESS_H_
