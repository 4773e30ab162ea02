#include "base/file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "octavo/error.h"

namespace octavo {
namespace {

std::string Name(const std::filesystem::path& path) { return PrintableName(path.native(), 400); }

[[noreturn]] void ThrowErrno(const std::filesystem::path& path, const char* action, int error) {
  const bool absent = error == ENOENT || error == ENOTDIR;
  throw Error(
      absent ? ErrorCode::kNotFound : ErrorCode::kIo,
      StrCat(Name(path), ": cannot ", action, ": ", std::generic_category().message(error)));
}

[[noreturn]] void FailToWrite(const std::filesystem::path& path, const char* action, int error) {
  throw Error(ErrorCode::kIo, StrCat(Name(path), ": cannot ", action, ": ",
                                     std::generic_category().message(error)));
}

// Opens a regular file and returns its size. A FIFO or a device neither blocks nor is read.
int OpenRegular(const std::filesystem::path& path, size_t* size_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) ThrowErrno(path, "open", errno);
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const int error = errno;
    ::close(fd);
    ThrowErrno(path, "read", error);
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(fd);
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(Name(path), ": ", S_ISDIR(info.st_mode) ? "a folder" : "no regular file",
                       ", expected a file"));
  }
  *size_bytes = static_cast<size_t>(info.st_size);
  return fd;
}

}  // namespace

MappedFile MappedFile::Open(const std::filesystem::path& path) {
  size_t size_bytes = 0;
  const Descriptor fd(OpenRegular(path, &size_bytes));
  MappedFile file;
  file.path_ = path;
  if (size_bytes == 0) return file;  // mmap refuses an empty range
  void* data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) ThrowErrno(path, "map", errno);
  file.data_ = static_cast<const std::byte*>(data);
  file.size_bytes_ = size_bytes;
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_bytes_);
}

void MappedFile::AdviseHugePages() const noexcept {
#if defined(MADV_HUGEPAGE)
  if (data_ != nullptr) {
    static_cast<void>(::madvise(const_cast<std::byte*>(data_), size_bytes_, MADV_HUGEPAGE));
  }
#endif
}

void MappedFile::Release(std::span<const std::byte> range) const noexcept {
  if (data_ == nullptr || range.empty()) return;
  if (range.data() < data_ || range.data() + range.size() > data_ + size_bytes_) return;
  // Whole pages, rounded outwards: a neighbour's bytes on the edge pages are read again if needed.
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const auto offset = static_cast<size_t>(range.data() - data_);
  const size_t begin = offset / page * page;
  const size_t end = offset + range.size();
  ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

namespace {

// Up to num_bytes; fewer at the end.
size_t ReadUpTo(int fd, char* bytes, size_t num_bytes, const std::filesystem::path& path) {
  size_t done = 0;
  while (done < num_bytes) {
    const ssize_t got = ::read(fd, bytes + done, num_bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowErrno(path, "read", errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace

std::string ReadFile(const std::filesystem::path& path, size_t max_bytes) {
  size_t size_bytes = 0;
  const Descriptor fd(OpenRegular(path, &size_bytes));
  if (size_bytes > max_bytes) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(Name(path), ": ", size_bytes, " bytes, at most ", max_bytes, " are read"));
  }
  std::string bytes(size_bytes, '\0');
  bytes.resize(ReadUpTo(fd.get(), bytes.data(), size_bytes, path));  // it may have become shorter
  return bytes;
}

std::string ReadFileHead(const std::filesystem::path& path, size_t max_bytes) {
  size_t size_bytes = 0;
  const Descriptor fd(OpenRegular(path, &size_bytes));
  std::string bytes(std::min(size_bytes, max_bytes), '\0');
  bytes.resize(ReadUpTo(fd.get(), bytes.data(), bytes.size(), path));
  return bytes;
}

void ReadFileInPieces(const std::filesystem::path& path, FunctionRef<void(std::string_view)> take) {
  size_t size_bytes = 0;
  const Descriptor fd(OpenRegular(path, &size_bytes));
  std::string piece(size_t{1} << 16, '\0');
  while (const size_t got = ReadUpTo(fd.get(), piece.data(), piece.size(), path)) {
    take({piece.data(), got});
  }
}

std::string ReadFirstLine(const std::filesystem::path& path, size_t max_bytes) {
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.is_open()) ThrowErrno(path, "open", errno);
  std::string text;
  while (text.find('\n') == std::string::npos) {
    char c = 0;
    const ssize_t got = ::read(fd.get(), &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR) {
      throw Error(ErrorCode::kInvalidArgument, StrCat(Name(path), ": a folder, expected a file"));
    }
    if (got < 0) ThrowErrno(path, "read", errno);
    if (got == 0) break;
    if (text.size() == max_bytes) {
      throw Error(ErrorCode::kResourceExhausted,
                  StrCat(Name(path), ": a line of more than ", max_bytes, " bytes"));
    }
    text += c;
  }
  return FirstLine(text);
}

std::string ReadStandardInput(size_t max_bytes) {
  std::string bytes;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ThrowErrno("standard input", "read", errno);
    if (got == 0) return bytes;
    if (bytes.size() + static_cast<size_t>(got) > max_bytes) {
      throw Error(ErrorCode::kResourceExhausted,
                  StrCat("standard input: more than ", max_bytes, " bytes"));
    }
    bytes.append(chunk.data(), static_cast<size_t>(got));
  }
}

namespace {

void WriteAll(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailToWrite(path, "write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return std::string(text);
}

namespace {

// What the temporary name tells of the final one: its beginning, as whole characters.
std::string BeginOfName(const std::filesystem::path& path) {
  constexpr size_t kMaxBytes = 80;
  std::string name = path.filename().string().substr(0, kMaxBytes);
  name.resize(name.size() - IncompleteSuffixLength(name));
  return name;
}

}  // namespace

std::filesystem::path UnfinishedPath(const std::filesystem::path& path, std::string_view mark) {
  return path.parent_path() / StrCat(BeginOfName(path), ".", mark, ".tmp");
}

void RenameFile(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) FailToWrite(to, "replace", errno);
  // The new name is durable once the folder is; a file system that cannot sync folders is no error.
  const std::filesystem::path folder = FolderOf(to);
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

AtomicFile::AtomicFile(const std::filesystem::path& path) : path_(path) {
  static std::atomic<unsigned> counter{0};
  // Beside the target, so that the rename stays on one file system.
  // A killed program of the same number (in a container each has the same) may have left such a
  // file: it is in nobody's way.
  constexpr int kMaxLeft = 1000;
  for (int i = 0; i < kMaxLeft; ++i) {
    temporary_ = path.parent_path() /
                 StrCat(BeginOfName(path), ".", ::getpid(), ".", counter.fetch_add(1), ".tmp");
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ >= 0 || errno != EEXIST) break;
  }
  if (fd_ < 0) {
    throw Error(
        ErrorCode::kIo,
        StrCat(Name(temporary_), ": cannot create: ", std::generic_category().message(errno)));
  }
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::Append(std::string_view bytes) {
  WriteAll(fd_, bytes, path_);
  size_bytes_ += bytes.size();
}

void AtomicFile::Overwrite(uint64_t offset, std::string_view bytes) {
  OCTAVO_CHECK(offset <= size_bytes_ && bytes.size() <= size_bytes_ - offset, offset);
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) FailToWrite(path_, "write", errno);
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
}

void AtomicFile::Commit() {
  if (::fsync(fd_) != 0) FailToWrite(path_, "write", errno);
  RenameFile(temporary_, path_);
  ::close(std::exchange(fd_, -1));
}

void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Append(bytes);
  file.Commit();
}

AppendedFile::AppendedFile(const std::filesystem::path& path)
    : path_(path),
      fd_(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666)) {
  if (fd_ < 0) FailToWrite(path, "open", errno);
}

AppendedFile::~AppendedFile() { ::close(fd_); }

void AppendedFile::Append(std::string_view bytes) {
  WriteAll(fd_, bytes, path_);
  // EINVAL: something that has no disk behind it.
  if (::fdatasync(fd_) != 0 && errno != EINVAL) FailToWrite(path_, "write", errno);
}

void ReportFileSizeLimitAsError() noexcept {
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignored, nullptr);
}

namespace {

// Async-signal-safe. Threads that work on one model meet its lost pages together: the first says
// it.
void EndForCutMapping(int /*signal*/) {
  static std::atomic_flag told;
  while (told.test_and_set()) ::pause();
  constexpr std::string_view kLine =
      "octavo: input/output error: a model file became shorter, or its disk failed, while it was "
      "in use\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kLine.data(), kLine.size());
  ::_exit(ExitCode(ErrorCode::kIo));
}

}  // namespace

void ReportCutMappingAsError() noexcept {
  struct sigaction action {};
  action.sa_handler = EndForCutMapping;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace octavo
