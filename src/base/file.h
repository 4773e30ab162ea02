// Files: read-only memory maps, bounded reads, atomic replacement, durable appending.
#ifndef OCTAVO_BASE_FILE_H_
#define OCTAVO_BASE_FILE_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/function_ref.h"

namespace octavo {

// A whole file mapped read-only. Movable; the bytes live as long as the object.
// Const and safe from any thread. Where the file shrinks while it is mapped, reading the lost bytes
// raises SIGBUS (ReportCutMappingAsError): for models, which nobody edits in place; what users hand
// in is read instead.
class MappedFile {
 public:
  // Throws kNotFound (absent), kInvalidArgument (no regular file), kIo.
  static MappedFile Open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_bytes_}; }
  const std::filesystem::path& path() const { return path_; }

  // Asks for large pages where the file is read for the first time: for files that are used in
  // place again and again. A wish: nothing fails without them.
  void AdviseHugePages() const noexcept;

  // Tells the kernel that these bytes will not be read again soon, so that they no longer count
  // as this process's memory. A hint: the bytes stay readable.
  void Release(std::span<const std::byte> range) const noexcept;

 private:
  MappedFile() = default;
  std::filesystem::path path_;
  const std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

// The largest picture file that is read into memory.
inline constexpr size_t kMaxPictureFileBytes = size_t{1} << 30;

// The bytes of a regular file. Throws kNotFound, kInvalidArgument (no regular file), kIo,
// kResourceExhausted (larger than max_bytes).
std::string ReadFile(const std::filesystem::path& path, size_t max_bytes);

// The first bytes of a regular file, up to max_bytes. Throws as ReadFile, which it is otherwise.
std::string ReadFileHead(const std::filesystem::path& path, size_t max_bytes);

// The bytes of a regular file of any size, piece by piece. Throws as ReadFile, and what `take`
// throws.
void ReadFileInPieces(const std::filesystem::path& path, FunctionRef<void(std::string_view)> take);

// The first line of a file, a pipe or a device, without its end; waits for a pipe's writer. Throws
// kNotFound, kInvalidArgument (a folder), kIo, kResourceExhausted (more than max_bytes before it).
std::string ReadFirstLine(const std::filesystem::path& path, size_t max_bytes);

// What stands on standard input, up to its end. Throws kIo, kResourceExhausted (more than
// max_bytes).
std::string ReadStandardInput(size_t max_bytes);

// The folder that a file lies in, "." where its name has none.
std::filesystem::path FolderOf(const std::filesystem::path& path);

// The text before the first line end, be it "\n" or "\r\n".
std::string FirstLine(std::string_view text);

// Writes a new file piece by piece and puts it in place at the end. Until Commit the old file
// stands; a writer that is destroyed before Commit leaves nothing behind. One thread at a time.
class AtomicFile {
 public:
  // Creates the new file beside `path`, under a name that is no longer than folders with names of
  // 255 bytes take where `path` is. Throws kIo.
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Throws kIo.
  void Append(std::string_view bytes);
  // Replaces bytes that were appended before. REQUIRES: offset + bytes.size() is not beyond them.
  // Throws kIo.
  void Overwrite(uint64_t offset, std::string_view bytes);
  // Makes the bytes durable and renames the file to its name. Once, as the last call. Throws kIo.
  void Commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  uint64_t size_bytes_ = 0;
  int fd_ = -1;
};

// A name beside `path` for what is not finished: the beginning of its name, the mark, ".tmp"; no
// longer than folders with names of 255 bytes take.
std::filesystem::path UnfinishedPath(const std::filesystem::path& path, std::string_view mark);

// Gives a file a new name in the same file system, in place of what has it, and makes that durable.
// Throws kIo.
void RenameFile(const std::filesystem::path& from, const std::filesystem::path& to);

// Writes a new file beside `path` and renames it into place, so that a reader sees the old bytes
// or the new ones, never a part. Throws kIo and leaves the old file as it was.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// A file that grows at its end, line by line or otherwise. What was appended is on disk, so that
// neither a killed program nor a power cut loses it; an append that was cut short by either leaves
// a part of its bytes. One thread at a time.
class AppendedFile {
 public:
  // Creates the file if it is not there. Throws kIo.
  explicit AppendedFile(const std::filesystem::path& path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  // Returns when the bytes are on disk. Throws kIo.
  void Append(std::string_view bytes);

 private:
  std::filesystem::path path_;
  int fd_ = -1;
};

// Makes a write beyond the process's file-size limit an error (kIo) instead of the end of the
// program. Once, at start.
void ReportFileSizeLimitAsError() noexcept;

// Makes reading what is gone of a mapped file, because it was cut or its disk failed, end the
// program with one line on stderr and kIo's exit code instead of a signal. Once, at start.
void ReportCutMappingAsError() noexcept;

}  // namespace octavo

#endif  // OCTAVO_BASE_FILE_H_
