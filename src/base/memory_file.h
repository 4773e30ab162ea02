// Bytes that other programs can open as a file, without one on disk.
#ifndef OCTAVO_BASE_MEMORY_FILE_H_
#define OCTAVO_BASE_MEMORY_FILE_H_

#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace octavo {

// Lives in memory and counts as this process's. Const and safe from any thread.
class MemoryFile {
 public:
  // Copies the bytes, and what is to stand behind them. Throws kIo.
  explicit MemoryFile(std::string_view bytes, std::string_view tail = {});

  // What a child that was given the file opens (RunChild's `file`); means nothing elsewhere.
  std::string ChildPath() const;

  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

}  // namespace octavo

#endif  // OCTAVO_BASE_MEMORY_FILE_H_
