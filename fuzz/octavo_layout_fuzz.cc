// Hostile bytes to the reader of .octavo headers, as they are and with checksums that fit. An Error
// is the expected answer; what is accepted must lie inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "base/xxh.h"
#include "formats/octavo_layout.h"
#include "octavo/error.h"

namespace {

void Read(std::span<const std::byte> bytes) {
  try {
    const octavo::OctavoIndex index = octavo::ReadOctavoIndex(bytes, "fuzz");
    const auto check = [&](const octavo::OctavoBytes& place) {
      if (place.offset > bytes.size() || place.size > bytes.size() - place.offset) std::abort();
    };
    for (const octavo::OctavoText& text : index.texts) check(text.bytes);
    for (const octavo::OctavoTensor& tensor : index.tensors) {
      check(tensor.bytes);
      if (tensor.is_matrix() && octavo::PackedBytes(tensor.layout) != tensor.bytes.size) {
        std::abort();
      }
    }
  } catch (const octavo::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Read({reinterpret_cast<const std::byte*>(data), size});
  if (size < octavo::kOctavoHeaderBytes) return 0;
  std::vector<std::byte> sealed(size);
  std::memcpy(sealed.data(), data, size);
  const auto put = [&](size_t at, uint64_t value) { std::memcpy(&sealed[at], &value, 8); };
  put(32, size);
  uint64_t index_bytes = 0;
  std::memcpy(&index_bytes, &sealed[24], 8);
  if (index_bytes <= size - octavo::kOctavoHeaderBytes) {
    put(48, octavo::Xxh64(std::span(sealed).subspan(octavo::kOctavoHeaderBytes, index_bytes)));
  }
  put(56, octavo::Xxh64(std::span(sealed).first(56)));
  Read(sealed);
  return 0;
}
