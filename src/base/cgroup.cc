#include "base/cgroup.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace octavo {
namespace {

namespace fs = std::filesystem;

// The first number in the file; nullopt if absent or a word such as "max".
std::optional<int64_t> ReadNumber(const fs::path& path) {
  std::ifstream in(path);
  int64_t value = 0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

// The value of `key` in a file of "key value" lines.
std::optional<int64_t> ReadKey(const fs::path& path, const std::string& key) {
  std::ifstream in(path);
  std::string name;
  int64_t value = 0;
  while (in >> name >> value) {
    if (name == key) return value;
  }
  return std::nullopt;
}

void Tighten(std::optional<double> value, std::optional<double>* limit) {
  if (value && (!*limit || *value < **limit)) *limit = value;
}

struct MemoryFiles {
  const char* limit;
  const char* usage;
  const char* clean_cache_key;
};
constexpr MemoryFiles kMemoryV2 = {"memory.max", "memory.current", "inactive_file"};
constexpr MemoryFiles kMemoryV1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_inactive_file"};

void ReadMemory(const fs::path& folder, const MemoryFiles& files, CgroupLimits* limits) {
  // Version 1 writes "no limit" as a number near 2^63.
  constexpr int64_t kUnlimited = int64_t{1} << 60;
  const auto limit = ReadNumber(folder / files.limit);
  if (!limit || *limit >= kUnlimited) return;
  if (limits->memory_bytes && *limits->memory_bytes <= *limit) return;
  limits->memory_bytes = limit;
  limits->memory_in_use = ReadNumber(folder / files.usage);
  const auto cache = ReadKey(folder / "memory.stat", files.clean_cache_key);
  if (limits->memory_in_use && cache) {
    limits->memory_in_use = std::max<int64_t>(0, *limits->memory_in_use - *cache);
  }
}

void ReadCpuV2(const fs::path& folder, CgroupLimits* limits) {
  std::ifstream in(folder / "cpu.max");
  int64_t quota_us = 0;
  int64_t period_us = 0;
  if (!(in >> quota_us >> period_us) || quota_us <= 0 || period_us <= 0) return;
  Tighten(static_cast<double>(quota_us) / static_cast<double>(period_us), &limits->cpus);
}

void ReadCpuV1(const fs::path& folder, CgroupLimits* limits) {
  const auto quota_us = ReadNumber(folder / "cpu.cfs_quota_us");
  const auto period_us = ReadNumber(folder / "cpu.cfs_period_us");
  if (!quota_us || !period_us || *quota_us <= 0 || *period_us <= 0) return;
  Tighten(static_cast<double>(*quota_us) / static_cast<double>(*period_us), &limits->cpus);
}

// Calls read(folder) for the group's folder under `root` and each parent, down to `root` itself.
template <typename Read>
void ForEachLevel(const fs::path& root, const std::string& group, const Read& read) {
  fs::path relative = fs::path(group).relative_path();
  for (int level = 0; level < 64; ++level) {
    std::error_code error;
    const fs::path folder = relative.empty() ? root : root / relative;
    if (fs::is_directory(folder, error)) read(folder);
    if (relative.empty()) return;
    relative = relative.parent_path();
  }
}

bool ListHas(const std::string& list, const std::string& name) {
  std::istringstream in(list);
  std::string item;
  while (std::getline(in, item, ',')) {
    if (item == name) return true;
  }
  return false;
}

}  // namespace

CgroupLimits ReadCgroupLimits(const fs::path& mount, const fs::path& proc_self) {
  CgroupLimits limits;
  std::ifstream in(proc_self / "cgroup");
  std::string line;
  // A line is "hierarchy:controllers:group"; version 2 has the one line "0::group".
  while (std::getline(in, line)) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      ForEachLevel(mount, group, [&limits](const fs::path& folder) {
        ReadMemory(folder, kMemoryV2, &limits);
        ReadCpuV2(folder, &limits);
      });
    }
    if (ListHas(controllers, "memory")) {
      ForEachLevel(mount / "memory", group,
                   [&limits](const fs::path& folder) { ReadMemory(folder, kMemoryV1, &limits); });
    }
    if (ListHas(controllers, "cpu")) {
      ForEachLevel(mount / "cpu", group,
                   [&limits](const fs::path& folder) { ReadCpuV1(folder, &limits); });
    }
  }
  return limits;
}

}  // namespace octavo
