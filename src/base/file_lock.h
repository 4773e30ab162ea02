// A lock that processes take on a name, so that two of them do not write the same thing at once.
#ifndef OCTAVO_BASE_FILE_LOCK_H_
#define OCTAVO_BASE_FILE_LOCK_H_

#include <filesystem>

#include "base/descriptor.h"

namespace octavo {

// Stands as an empty file while it is held; a killed program's lock is free again, and its file is
// taken over. Advisory: only those who ask for it are kept apart. One thread.
class FileLock {
 public:
  FileLock() = default;
  ~FileLock() { Release(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  // False if another process, or another lock of this one, holds it. Where no lock can be had (a
  // folder that cannot be written, a file system without locks) it is true without one: what is to
  // be protected says better why it cannot be written. Makes the folder. Once.
  bool Acquire(const std::filesystem::path& path);

  // Gives it back and removes the file, and the folders that Acquire made if nothing else is there.
  void Release() noexcept;

 private:
  std::filesystem::path path_;
  std::filesystem::path made_;  // the uppermost folder that was made; empty: none
  Descriptor fd_;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_FILE_LOCK_H_
