// PNG by libpng: every colour type and depth, interlaced or not.
#ifndef OCTAVO_VISION_CODEC_PNG_H_
#define OCTAVO_VISION_CODEC_PNG_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsPng(std::span<const std::byte> bytes) noexcept;

// Gamma and colour profiles are ignored, as the reference does; 16-bit samples are scaled to 8
// with rounding; tRNS is alpha. Any bad CRC, cut or short data is an error.
// Throws as DecodeImage.
DecodedImage DecodePng(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_PNG_H_
