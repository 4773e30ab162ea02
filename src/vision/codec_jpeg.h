// JPEG by libjpeg-turbo: baseline and progressive; grey, YCbCr, RGB, CMYK and YCCK.
#ifndef OCTAVO_VISION_CODEC_JPEG_H_
#define OCTAVO_VISION_CODEC_JPEG_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsJpeg(std::span<const std::byte> bytes) noexcept;

// Slow integer DCT and smooth chroma upsampling, libjpeg's defaults and the reference's. CMYK is
// read as Adobe writes it (inverted), whether or not the file says that it is Adobe's, as Pillow
// and browsers do. A file that is cut, or whose entropy-coded data is damaged, is an error, never a
// half-grey picture. Throws as DecodeImagePage.
DecodedImage DecodeJpeg(std::span<const std::byte> bytes, std::string_view where,
                        const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_JPEG_H_
