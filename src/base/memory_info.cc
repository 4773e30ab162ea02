#include "base/memory_info.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "base/cgroup.h"

namespace octavo {
namespace {

// The value in bytes of a "Key:   123 kB" line.
std::optional<int64_t> ReadKilobytes(const char* path, const std::string& key) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(key, 0) != 0) continue;
    return std::strtoll(line.c_str() + key.size(), nullptr, 10) * 1024;
  }
  return std::nullopt;
}

int64_t PhysicalBytes() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

int64_t ResidentBytes() noexcept {
  try {
    std::ifstream in("/proc/self/statm");
    int64_t total_pages = 0;
    int64_t resident_pages = 0;
    if (!(in >> total_pages >> resident_pages)) return 0;
    return resident_pages * ::sysconf(_SC_PAGESIZE);
  } catch (...) {
    return 0;
  }
}

int64_t PeakResidentBytes() noexcept {
  try {
    // Not getrusage: its figure outlives exec, so a program would show its parent's peak.
    return ReadKilobytes("/proc/self/status", "VmHWM:").value_or(0);
  } catch (...) {
    return 0;
  }
}

void ResetPeakResidentBytes() noexcept {
  try {
    // Source: proc(5), clear_refs, value 5.
    std::ofstream("/proc/self/clear_refs") << '5';
  } catch (...) {
    return;
  }
}

int64_t MemoryLimitBytes() noexcept {
  try {
    const int64_t physical = PhysicalBytes();
    return std::min(physical, ReadCgroupLimits().memory_bytes.value_or(physical));
  } catch (...) {
    return PhysicalBytes();
  }
}

int64_t MemoryAvailableBytes() noexcept {
  try {
    const int64_t machine =
        ReadKilobytes("/proc/meminfo", "MemAvailable:").value_or(PhysicalBytes());
    const CgroupLimits group = ReadCgroupLimits();
    if (!group.memory_bytes) return machine;
    const int64_t left = *group.memory_bytes - group.memory_in_use.value_or(ResidentBytes());
    return std::clamp<int64_t>(left, 0, machine);
  } catch (...) {
    return 0;
  }
}

}  // namespace octavo
