#include "vision/exif.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "vision/byte_reader.h"

namespace octavo {
namespace {

constexpr uint32_t kOrientationTag = 0x0112;
constexpr uint32_t kTypeShort = 3;
constexpr uint32_t kTypeLong = 4;  // against the standard, but written by some cameras
constexpr size_t kEntryBytes = 12;

bool StartsWith(std::span<const std::byte> bytes, const char* text, size_t size) {
  return bytes.size() >= size && std::memcmp(bytes.data(), text, size) == 0;
}

}  // namespace

int ExifOrientation(std::span<const std::byte> exif) noexcept {
  if (StartsWith(exif, "Exif\0\0", 6)) exif = exif.subspan(6);
  const bool is_big_endian = StartsWith(exif, "MM\0*", 4);
  if (!is_big_endian && !StartsWith(exif, "II*\0", 4)) return 1;
  const ByteReader tiff(exif, is_big_endian ? ByteOrder::kBig : ByteOrder::kLittle);
  if (!tiff.Has(4, 4)) return 1;
  const size_t directory = tiff.U32(4);
  if (!tiff.Has(directory, 2)) return 1;
  const size_t num_entries = tiff.U16(directory);
  for (size_t i = 0; i < num_entries; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (!tiff.Has(entry, kEntryBytes)) return 1;
    if (tiff.U16(entry) != kOrientationTag) continue;
    const uint32_t type = tiff.U16(entry + 2);
    if ((type != kTypeShort && type != kTypeLong) || tiff.U32(entry + 4) != 1) return 1;
    const uint32_t value = type == kTypeShort ? tiff.U16(entry + 8) : tiff.U32(entry + 8);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

Image ApplyOrientation(Image image, int orientation, const StopCheck& check) {
  OCTAVO_CHECK(orientation >= 1 && orientation <= 8, orientation);
  switch (orientation) {
    case 2:
      return FlipHorizontally(image, check);
    case 3:
      return RotateCounterClockwise(image, 180, check);
    case 4:  // mirrored top to bottom
      return FlipHorizontally(RotateCounterClockwise(image, 180, check), check);
    case 5:  // mirrored along the main diagonal
      return RotateCounterClockwise(FlipHorizontally(image, check), 90, check);
    case 6:
      return RotateCounterClockwise(image, 270, check);
    case 7:  // mirrored along the other diagonal
      return RotateCounterClockwise(FlipHorizontally(image, check), 270, check);
    case 8:
      return RotateCounterClockwise(image, 90, check);
    default:
      return image;
  }
}

}  // namespace octavo
