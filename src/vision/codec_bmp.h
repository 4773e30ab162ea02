// BMP by a reader of our own: OS/2 and Windows headers, 1 to 32 bits, RLE and bit fields.
#ifndef OCTAVO_VISION_CODEC_BMP_H_
#define OCTAVO_VISION_CODEC_BMP_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsBmp(std::span<const std::byte> bytes) noexcept;

// Alpha is read where the header has a mask for it, and taken as opaque throughout if it is 0
// throughout, as some programs write it. A colour index beyond the palette is black; so are pixels
// that an RLE picture skips. Colour spaces and profiles of the later headers are ignored. A file
// that ends before its pixels do is kDataLoss; an embedded JPEG or PNG is kUnsupported.
// Throws as DecodeImagePage; kResourceExhausted also if an RLE picture, which is held whole at one
// byte a pixel, is over max_whole_pixels.
DecodedImage DecodeBmp(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_BMP_H_
