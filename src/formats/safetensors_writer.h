// Writes one safetensors file, tensor after tensor; the file has its name once it is whole.
#ifndef OCTAVO_FORMATS_SAFETENSORS_WRITER_H_
#define OCTAVO_FORMATS_SAFETENSORS_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/file.h"
#include "formats/checkpoint.h"

namespace octavo {

// The same input gives the same bytes. One thread at a time.
class SafetensorsWriter {
 public:
  // Names, dtypes and shapes in the order in which their bytes will come. A file of that name
  // stands until Commit. Throws kIo.
  SafetensorsWriter(const std::filesystem::path& path, std::vector<TensorInfo> tensors);

  // The next tensor's bytes. REQUIRES: there is one, and it has this size. Throws kIo.
  void Append(std::span<const std::byte> bytes);
  // REQUIRES: every tensor was appended. Throws kIo; then nothing has the name.
  void Commit();

  uint64_t file_bytes() const { return file_bytes_; }

 private:
  std::vector<TensorInfo> tensors_;
  size_t next_ = 0;
  uint64_t file_bytes_ = 0;
  AtomicFile file_;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_SAFETENSORS_WRITER_H_
