// CRC-32 as in zlib, to compare bytes with the checksums of the reference data.
#ifndef OCTAVO_TESTS_TESTING_CRC32_H_
#define OCTAVO_TESTS_TESTING_CRC32_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace octavo::testing {

inline uint32_t Crc32(const void* data, size_t num_bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1 ? 0xEDB88320u : 0u);
      entries[i] = value;
    }
    return entries;
  }();
  uint32_t crc = 0xFFFFFFFFu;
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < num_bytes; ++i) crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 0xFF];
  return ~crc;
}

// Eight lower-case hex digits, as the reference data writes it.
inline std::string Crc32Hex(const void* data, size_t num_bytes) {
  char text[9];
  std::snprintf(text, sizeof(text), "%08x", Crc32(data, num_bytes));
  return text;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_CRC32_H_
