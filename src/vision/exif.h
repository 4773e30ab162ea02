// The Orientation tag of EXIF data, and the turn that it asks for.
//
// Reads only what octavo needs: tag 0x0112 of the first image file directory.
//   [0, 2)  "II" little endian or "MM" big endian       [2, 4)  42
//   [4, 8)  offset of the directory                     directory: count, then entries of 12 bytes:
//   tag (2), type (2: 3 is SHORT), count (4), value (4, left-aligned)
#ifndef OCTAVO_VISION_EXIF_H_
#define OCTAVO_VISION_EXIF_H_

#include <cstddef>
#include <span>

#include "vision/image.h"

namespace octavo {

// The orientation, 1 to 8, in `exif`: the payload of a JPEG's APP1 or a PNG's eXIf chunk, with or
// without the leading "Exif\0\0". 1 (upright) if the tag is absent, or the data is no EXIF or
// damaged: metadata never makes a picture unreadable.
int ExifOrientation(std::span<const std::byte> exif) noexcept;

// The picture as it is meant to be seen. `check` as in image.h. REQUIRES: orientation in 1..8.
// Source: EXIF 2.32 section 4.6.4; the same as Pillow's ImageOps.exif_transpose.
Image ApplyOrientation(Image image, int orientation, const StopCheck& check = {});

}  // namespace octavo

#endif  // OCTAVO_VISION_EXIF_H_
