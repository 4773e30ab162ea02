// The directories of a TIFF file that are pages, found without libtiff, so that one damaged page
// does not hide those behind it.
//
//   [0, 2)  "II" little endian or "MM" big endian     [2, 4)  42, or 43 for BigTIFF
//   TIFF:    [4, 8)  offset of the first directory    directory: count (2), entries of 12 bytes,
//            offset of the next directory (4), 0 at the end
//   BigTIFF: [4, 8)  8, 0   [8, 16) offset            count (8), entries of 20 bytes, offset (8)
//   entry: tag (2), type (2), count (4 or 8), value (4 or 8, left-aligned)
#ifndef OCTAVO_VISION_TIFF_PAGES_H_
#define OCTAVO_VISION_TIFF_PAGES_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "vision/image_codec.h"

namespace octavo {

inline constexpr size_t kMaxTiffPages = 65536;

// Thumbnails and masks are left out unless there is nothing else. A chain that leads out of the
// file, to a directory that overlaps another, or to one of no or more than 4096 entries ends with
// that page, which may be undecodable; one that leads back ends there. Reads no more bytes of
// directories than the file has, and one directory more. Throws kDataLoss
// (no directory at all), kResourceExhausted (more than kMaxTiffPages).
std::vector<ImagePage> ListTiffPages(std::span<const std::byte> bytes, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_VISION_TIFF_PAGES_H_
