// Binary PPM (P6), the form in which the page renderer hands over pixels.
#ifndef OCTAVO_VISION_CODEC_PPM_H_
#define OCTAVO_VISION_CODEC_PPM_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsPpm(std::span<const std::byte> bytes) noexcept;

// One P6 picture with a maximum of 255 that fills `bytes` to the end. Of the options only
// the limits matter. Throws as DecodeImagePage; bytes after the picture are kDataLoss.
DecodedImage DecodePpm(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_PPM_H_
