// Limits of the cgroup (version 1 or 2) that this process runs in.
#ifndef OCTAVO_BASE_CGROUP_H_
#define OCTAVO_BASE_CGROUP_H_

#include <cstdint>
#include <filesystem>
#include <optional>

namespace octavo {

// nullopt: no limit, or none that can be read.
struct CgroupLimits {
  std::optional<double> cpus;            // CPU quota in processors
  std::optional<int64_t> memory_bytes;   // the tightest limit on the way to the root
  std::optional<int64_t> memory_in_use;  // of the group with that limit, without clean page cache
};

// Reads <proc_self>/cgroup and the files under `mount`. A group whose folder is not visible (a
// container without its own cgroup namespace) is looked up at its nearest visible parent.
CgroupLimits ReadCgroupLimits(const std::filesystem::path& mount = "/sys/fs/cgroup",
                              const std::filesystem::path& proc_self = "/proc/self");

}  // namespace octavo

#endif  // OCTAVO_BASE_CGROUP_H_
