// Writes one GGUF file (formats/gguf.h), tensor after tensor; the file has its name once it is
// whole.
#ifndef OCTAVO_FORMATS_GGUF_WRITER_H_
#define OCTAVO_FORMATS_GGUF_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "formats/gguf_tensor_type.h"
#include "tensor/tensor.h"

namespace octavo {

// Keys and values in the order in which they are added. Keys are not repeated.
class GgufMetadata {
 public:
  void AddText(std::string_view key, std::string_view text);
  void AddU32(std::string_view key, uint32_t number);
  void AddF32(std::string_view key, float number);
  void AddBool(std::string_view key, bool flag);
  void AddTexts(std::string_view key, std::span<const std::string> texts);
  void AddI32s(std::string_view key, std::span<const int32_t> numbers);
  void AddF32s(std::string_view key, std::span<const float> numbers);

  uint64_t count() const { return count_; }
  // As they stand in the file.
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  uint64_t count_ = 0;
};

struct GgufTarget {
  std::string name;
  const GgufTensorType* type = nullptr;
  Shape shape;  // slowest first; the last dimension is a multiple of the type's block
};

// The same input gives the same bytes. One thread at a time.
class GgufWriter {
 public:
  // Version 3, alignment 32. A file of that name stands until Commit. Throws kIo.
  GgufWriter(const std::filesystem::path& path, const GgufMetadata& metadata,
             std::vector<GgufTarget> targets);

  // The next tensor's bytes. REQUIRES: there is one, and it has this size. Throws kIo.
  void Append(std::span<const std::byte> bytes);
  // REQUIRES: every tensor was appended. Throws kIo; then nothing has the name.
  void Commit();

  uint64_t file_bytes() const { return file_bytes_; }

 private:
  void AppendText(std::string_view bytes);

  std::vector<GgufTarget> targets_;
  size_t next_ = 0;
  uint64_t file_bytes_ = 0;
  AtomicFile file_;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_WRITER_H_
