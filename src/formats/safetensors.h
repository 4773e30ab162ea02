// Reads the safetensors container: a mapped file and the table of its tensors.
//
//   offset 0        8 bytes   N, unsigned little-endian
//   offset 8        N bytes   UTF-8 JSON object, starts with '{', may end in spaces
//   offset 8 + N    the rest  tensor data, little-endian, C order, no holes, no overlaps
//
// Header entry: "name": {"dtype": "BF16", "shape": [896, 128], "data_offsets": [begin, end]} with
// offsets from the first data byte; "__metadata__" holds strings. Source: huggingface/safetensors
// README.md and safetensors/src/tensor.rs (0.8); stricter than that where the text demands it.
#ifndef OCTAVO_FORMATS_SAFETENSORS_H_
#define OCTAVO_FORMATS_SAFETENSORS_H_

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "formats/checkpoint.h"

namespace octavo {

struct SafetensorsEntry {
  TensorInfo info;   // the name as stored
  size_t begin = 0;  // bytes of the file, not of the data area
  size_t end = 0;
};

// The tensors of a whole file's bytes in data order. Every field is checked, no data is read.
// `where` names the file in messages. Throws kDataLoss, kUnsupported (dtype or rank that octavo
// does not hold), kResourceExhausted (header larger than 32 MiB).
std::vector<SafetensorsEntry> ParseSafetensors(std::span<const std::byte> file,
                                               std::string_view where);

// Const and safe from any thread.
class SafetensorsFile {
 public:
  // Throws as MappedFile::Open and ParseSafetensors.
  static std::shared_ptr<const SafetensorsFile> Open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

  // The tensor's bytes. Its owner keeps `self` open; dropping it releases the pages.
  static LoadedTensor Load(const std::shared_ptr<const SafetensorsFile>& self,
                           const SafetensorsEntry& entry);

 private:
  explicit SafetensorsFile(MappedFile file);

  MappedFile file_;
  std::vector<SafetensorsEntry> entries_;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_SAFETENSORS_H_
