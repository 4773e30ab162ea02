// Reads the GGUF container: metadata, tensor table and the place of each tensor's bytes.
//
//   "GGUF"  u32 version (2 or 3)  u64 tensor_count  u64 kv_count
//   kv_count x      string key, u32 type, value           string: u64 length, bytes
//   tensor_count x  string name, u32 n_dims, u64 dims[n_dims] (fastest first), u32 type, u64 offset
//   zeros to the next multiple of general.alignment (32 unless said); tensor data from there
//
// All little-endian. Source: ggml-org/ggml docs/gguf.md, include/ggml.h, src/gguf.cpp. Blocks are
// not decoded here.
#ifndef OCTAVO_FORMATS_GGUF_H_
#define OCTAVO_FORMATS_GGUF_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file.h"
#include "formats/gguf_tensor_type.h"
#include "tensor/tensor.h"

namespace octavo {

// Numbers as the file stores them.
enum class GgufValueType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// A checked array. `bytes` are its elements as stored; strings keep their lengths before them.
struct GgufArray {
  GgufValueType element_type = GgufValueType::kU8;
  uint64_t count = 0;
  std::span<const std::byte> bytes;
};

struct GgufValue {
  GgufValueType type = GgufValueType::kU8;
  // Unsigned, signed, floating and bool numbers are widened; strings and arrays point into the
  // file.
  std::variant<uint64_t, int64_t, double, bool, std::string_view, GgufArray> value;
};

struct GgufTensor {
  std::string name;
  const GgufTensorType* type = nullptr;
  Shape shape;  // slowest first, as everywhere in octavo
  std::span<const std::byte> bytes;
};

// True of a regular file that begins as one of these. Throws kIo.
bool IsGgufFile(const std::filesystem::path& path);

// Const and safe from any thread.
class Gguf {
 public:
  // A whole valid file of the architectures `qwen2vl` (language model) or `clip` (vision file) with
  // at least one tensor. Throws as MappedFile::Open; kDataLoss (damaged), kUnsupported (version,
  // architecture, tensor type).
  static Gguf Open(const std::filesystem::path& path);
  // As Open, on bytes that outlive the object. `where` names them in messages.
  static Gguf Parse(std::span<const std::byte> file, std::string_view where);

  uint32_t version() const { return version_; }
  const std::string& architecture() const { return architecture_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  // nullptr if there is none of that key.
  const GgufValue* FindValue(std::string_view key) const;

 private:
  Gguf() = default;

  std::optional<MappedFile> file_;
  uint32_t version_ = 0;
  std::string architecture_;
  std::vector<std::pair<std::string_view, GgufValue>> values_;  // sorted by key
  std::vector<GgufTensor> tensors_;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_GGUF_H_
