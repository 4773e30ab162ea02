// PNG by libpng: every colour type and depth, interlaced or not.
#ifndef OCTAVO_VISION_CODEC_PNG_H_
#define OCTAVO_VISION_CODEC_PNG_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsPng(std::span<const std::byte> bytes) noexcept;

// gAMA and cHRM are ignored, as the reference does; tRNS is alpha; of an animation (APNG) the still
// picture is read. Any bad CRC, cut or short data is an error. Throws as DecodeImagePage;
// kResourceExhausted also if an interlaced picture, which is held whole, is over
// max_whole_pixels.
DecodedImage DecodePng(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_PNG_H_
