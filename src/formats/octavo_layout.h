// The header and the index of an .octavo file (version 0): what is where. docs/formats.md has the
// bytes.
//
//   header   64 bytes
//   index    one record per text file, one per tensor, then their names
//   texts    each at a multiple of 64 bytes
//   tensors  each at a multiple of 4096 bytes, in the order in which it is used
//
// Everything lies in the order of the index without holes: an offset that is not the next one is an
// error, so nothing can overlap.
#ifndef OCTAVO_FORMATS_OCTAVO_LAYOUT_H_
#define OCTAVO_FORMATS_OCTAVO_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/packed_layout.h"
#include "tensor/tensor.h"

namespace octavo {

inline constexpr std::string_view kOctavoMagic{"octavo\0\x1a", 8};
inline constexpr uint32_t kOctavoVersion = 0;
inline constexpr size_t kOctavoHeaderBytes = 64;
inline constexpr size_t kOctavoTextAlignment = 64;
inline constexpr size_t kOctavoTensorAlignment = 4096;

// Where bytes of the file lie, and their XXH64.
struct OctavoBytes {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t hash = 0;
};

struct OctavoText {
  std::string name;  // a plain file name
  OctavoBytes bytes;
};

struct OctavoTensor {
  std::string name;
  Shape shape;
  // Rank 1: f32 as they are, this is unused. Higher ranks: a matrix [shape[0], the rest].
  PackedLayout layout;
  OctavoBytes bytes;

  bool is_matrix() const { return shape.rank() > 1; }
};

struct OctavoIndex {
  std::vector<OctavoText> texts;
  std::vector<OctavoTensor> tensors;
  uint64_t index_end = 0;  // where the names end
  uint64_t file_bytes = 0;
};

// Sets offsets, the tensors' sizes, index_end and file_bytes from names, shapes, layouts and the
// texts' sizes. Throws kInvalidArgument naming the entry that version 0 cannot hold.
void PlaceOctavo(OctavoIndex* index);

// Header and index with their checksums. REQUIRES: PlaceOctavo was called; hashes are set.
std::string WriteOctavoIndex(const OctavoIndex& index);

// Reads header and index of a whole file's bytes. Every field is checked; neither texts nor tensors
// are touched. `where` names the file in messages. Throws kDataLoss, kUnsupported (another
// version).
OctavoIndex ReadOctavoIndex(std::span<const std::byte> file, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_FORMATS_OCTAVO_LAYOUT_H_
