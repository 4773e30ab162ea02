// GIF by giflib: the first frame.
#ifndef OCTAVO_VISION_CODEC_GIF_H_
#define OCTAVO_VISION_CODEC_GIF_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "vision/codec.h"

namespace octavo {

bool IsGif(std::span<const std::byte> bytes) noexcept;

// The first frame at its place on the screen, which grows where the frame reaches beyond; what the
// frame does not cover is transparent. A colour index beyond the palette is black. Warns of further
// frames, and of a file that ends behind the frame without its trailer; a frame that is cut is
// kDataLoss. Throws as DecodeImagePage; kResourceExhausted also if an interlaced frame, which is
// held whole at one byte a pixel, is over max_whole_pixels.
DecodedImage DecodeGif(std::span<const std::byte> bytes, std::string_view where,
                       const DecodeOptions& options);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_GIF_H_
