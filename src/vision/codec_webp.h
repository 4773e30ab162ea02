// WebP by libwebp: lossy and lossless, with alpha; of an animation the first frame.
#ifndef OCTAVO_VISION_CODEC_WEBP_H_
#define OCTAVO_VISION_CODEC_WEBP_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsWebp(std::span<const std::byte> bytes) noexcept;

// The first frame at its place on the canvas; what it does not cover is transparent. Warns of
// further frames. A cut file is kDataLoss. Throws as DecodeImagePage; kResourceExhausted also for
// pictures over max_whole_pixels: libwebp holds a picture whole.
DecodedImage DecodeWebp(std::span<const std::byte> bytes, std::string_view where,
                        const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_WEBP_H_
