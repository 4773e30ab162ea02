// Hostile bytes to the PNG decoder, with the checksum of every chunk set right first, so that
// damage reaches what lies behind the checksums. An Error is the expected answer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "octavo/error.h"
#include "vision/codec_png.h"

namespace {

uint32_t Crc32(const std::string& bytes, size_t begin, size_t end) {
  uint32_t crc = 0xFFFFFFFFu;
  for (size_t i = begin; i < end; ++i) {
    crc ^= static_cast<unsigned char>(bytes[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

// Chunks are length (4), type (4), data, checksum of type and data (4), after 8 bytes of signature.
void RepairChecksums(std::string* png) {
  constexpr size_t kHeadBytes = 8;
  constexpr size_t kCrcBytes = 4;
  size_t offset = 8;
  while (offset + kHeadBytes + kCrcBytes <= png->size()) {
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) {
      length = length << 8 | static_cast<unsigned char>((*png)[offset + i]);
    }
    if (length > png->size() - offset - kHeadBytes - kCrcBytes) return;
    const size_t end = offset + kHeadBytes + length;
    const uint32_t crc = Crc32(*png, offset + 4, end);
    for (size_t i = 0; i < 4; ++i) (*png)[end + i] = static_cast<char>(crc >> (24 - 8 * i));
    offset = end + kCrcBytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string png(reinterpret_cast<const char*>(data), size);
  const std::string signature = "\x89PNG\r\n\x1a\n";
  std::copy_n(signature.begin(), std::min(size, signature.size()), png.begin());
  RepairChecksums(&png);
  try {
    octavo::DecodePng(std::as_bytes(std::span(png)), "fuzz", {.max_pixels = int64_t{1} << 20});
  } catch (const octavo::Error&) {
  }
  return 0;
}
