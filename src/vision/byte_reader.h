// ByteReader: integers of either byte order out of bytes that come from outside.
#ifndef OCTAVO_VISION_BYTE_READER_H_
#define OCTAVO_VISION_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace octavo {

enum class ByteOrder { kLittle, kBig };

// REQUIRES of U8 to U64: Has(offset, size of the integer).
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, ByteOrder order)
      : bytes_(bytes), is_big_endian_(order == ByteOrder::kBig) {}

  // Whether [offset, offset + count) lies inside; no sum overflows.
  bool Has(uint64_t offset, uint64_t count) const {
    return offset <= bytes_.size() && count <= bytes_.size() - offset;
  }
  uint32_t U8(uint64_t offset) const {
    return static_cast<uint32_t>(bytes_[static_cast<size_t>(offset)]);
  }
  uint32_t U16(uint64_t offset) const {
    const uint32_t first = U8(offset);
    const uint32_t second = U8(offset + 1);
    return is_big_endian_ ? first << 8 | second : second << 8 | first;
  }
  uint32_t U32(uint64_t offset) const {
    const uint32_t first = U16(offset);
    const uint32_t second = U16(offset + 2);
    return is_big_endian_ ? first << 16 | second : second << 16 | first;
  }
  uint64_t U64(uint64_t offset) const {
    const uint64_t first = U32(offset);
    const uint64_t second = U32(offset + 4);
    return is_big_endian_ ? first << 32 | second : second << 32 | first;
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_big_endian_;
};

}  // namespace octavo

#endif  // OCTAVO_VISION_BYTE_READER_H_
