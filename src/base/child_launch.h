// The child's side of RunChild between fork and exec: confines itself, then becomes the program.
#ifndef OCTAVO_BASE_CHILD_LAUNCH_H_
#define OCTAVO_BASE_CHILD_LAUNCH_H_

#include <sys/types.h>

#include "base/child_process.h"

namespace octavo {

// All that the child needs, made before the fork: between fork and exec nothing may be allocated.
// The descriptors lie above 2.
struct Launch {
  const char* program;
  char* const* argv;
  char* const* envp;
  int stdin_fd;
  int stdout_fd;
  int stderr_fd;
  int status_fd;  // the errno of a failed start is written here
  int file_fd;    // stays open as it is; -1: none
  pid_t parent;
  const char* user_map;  // "ID ID 1": the user keeps its number in a new namespace
  const char* group_map;
  const ChildLimits* limits;
};

// Puts the descriptors on 0, 1 and 2, leaves the network, sets the limits and runs the program.
// Async-signal-safe calls only. Ends the process with code 127 if anything fails.
[[noreturn]] void StartInChild(const Launch& launch);

}  // namespace octavo

#endif  // OCTAVO_BASE_CHILD_LAUNCH_H_
