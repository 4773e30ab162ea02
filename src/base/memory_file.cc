#include "base/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

[[noreturn]] void Fail(int error) {
  throw Error(ErrorCode::kIo,
              StrCat("cannot make a file in memory: ", std::generic_category().message(error)));
}

}  // namespace

MemoryFile::MemoryFile(std::string_view bytes, std::string_view tail) {
  // Above 2, where no child's standard stream is put over it.
  const Descriptor made(::memfd_create("octavo", MFD_CLOEXEC));
  if (!made.is_open()) Fail(errno);
  descriptor_.Reset(::fcntl(made.get(), F_DUPFD_CLOEXEC, 3));
  if (!descriptor_.is_open()) Fail(errno);
  for (std::string_view part : {bytes, tail}) {
    while (!part.empty()) {
      const ssize_t written = ::write(descriptor_.get(), part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) Fail(errno);
      part.remove_prefix(static_cast<size_t>(written));
    }
  }
}

std::string MemoryFile::ChildPath() const { return StrCat("/proc/self/fd/", descriptor_.get()); }

}  // namespace octavo
