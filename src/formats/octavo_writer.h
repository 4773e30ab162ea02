// Writes an .octavo file, one tensor after another; the file has its name once it is whole.
#ifndef OCTAVO_FORMATS_OCTAVO_WRITER_H_
#define OCTAVO_FORMATS_OCTAVO_WRITER_H_

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "formats/octavo_layout.h"

namespace octavo {

// The same input gives the same bytes. One thread at a time.
class OctavoWriter {
 public:
  // `texts`: names and contents. `tensors`: names, shapes and layouts, in the order in which their
  // bytes will come. A file of that name stands until Commit.
  // Throws kInvalidArgument (what version 0 cannot hold), kIo.
  OctavoWriter(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, std::string>>& texts,
               std::vector<OctavoTensor> tensors);

  // The next tensor's bytes: f32 for a vector, PackedBytes in packed order for a matrix.
  // REQUIRES: there is one, and it has this size. Throws kIo.
  void Append(std::span<const std::byte> bytes);

  // REQUIRES: every tensor was appended. Throws kIo; then nothing has the name.
  void Commit();

  uint64_t file_bytes() const { return index_.file_bytes; }

 private:
  void Place(OctavoBytes* place, std::span<const std::byte> bytes);

  OctavoIndex index_;
  AtomicFile file_;
  uint64_t written_ = 0;
  size_t next_ = 0;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_OCTAVO_WRITER_H_
