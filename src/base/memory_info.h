// Memory of this process and of the machine or cgroup it runs in.
#ifndef OCTAVO_BASE_MEMORY_INFO_H_
#define OCTAVO_BASE_MEMORY_INFO_H_

#include <cstdint>

namespace octavo {

int64_t ResidentBytes() noexcept;      // RSS now; 0 if unknown
int64_t PeakResidentBytes() noexcept;  // largest RSS so far; 0 if unknown

// Makes the peak start again from what is resident now, where the kernel allows it.
void ResetPeakResidentBytes() noexcept;

// The smaller of physical memory and the cgroup's limit.
int64_t MemoryLimitBytes() noexcept;

// Bytes that can still be taken without swapping (MemAvailable, bounded by the cgroup).
int64_t MemoryAvailableBytes() noexcept;

}  // namespace octavo

#endif  // OCTAVO_BASE_MEMORY_INFO_H_
