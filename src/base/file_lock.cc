#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace octavo {
namespace {

namespace fs = std::filesystem;

// The uppermost folder on the way to this one that is not there.
fs::path FirstAbsent(fs::path folder) {
  fs::path absent;
  std::error_code ignored;
  while (!folder.empty() && !fs::exists(folder, ignored)) {
    absent = folder;
    folder = folder.parent_path();
  }
  return absent;
}

// True if the name still stands for the file that was opened: the holder before may have removed
// it between the opening and the locking.
bool IsStillNamed(int fd, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

bool FileLock::Acquire(const fs::path& path) {
  // Each turn means that another process gave the lock back in just this moment.
  constexpr int kMaxTurns = 100;
  made_ = FirstAbsent(path.parent_path());
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    fd_.Reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!fd_.is_open() && errno == ENOENT && turn + 1 < kMaxTurns) continue;
    if (!fd_.is_open()) return true;
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
      const bool is_held = errno == EWOULDBLOCK;
      fd_.Close();
      return !is_held;
    }
    if (!IsStillNamed(fd_.get(), path)) continue;
    path_ = path;
    return true;
  }
  return false;
}

void FileLock::Release() noexcept {
  if (!fd_.is_open()) return;
  // While it is held, so that nobody else's file is removed.
  ::unlink(path_.c_str());
  fd_.Close();
  if (made_.empty()) return;
  std::error_code ignored;
  const fs::path end = made_.parent_path();
  for (fs::path folder = path_.parent_path(); folder != end; folder = folder.parent_path()) {
    if (::rmdir(folder.c_str()) != 0) break;  // something else is there
  }
}

}  // namespace octavo
