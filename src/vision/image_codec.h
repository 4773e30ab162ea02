// Encoded pictures to Image and back: sniffed by content, limited before allocation.
#ifndef OCTAVO_VISION_IMAGE_CODEC_H_
#define OCTAVO_VISION_IMAGE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vision/image.h"

namespace octavo {

// What becomes of transparency.
enum class AlphaRule {
  kOnWhite,  // composited on white: octavo's rule and transformers'
  kDrop,     // colour channels as stored: the MinerU client's rule
};

struct DecodeOptions {
  int64_t max_pixels = 178'956'970;  // width x height; Pillow's own limit
  AlphaRule alpha = AlphaRule::kOnWhite;
  bool apply_exif_orientation = true;
};

// "png", "jpeg", "ppm", or "" if the bytes are none that octavo decodes.
std::string_view SniffImageFormat(std::span<const std::byte> bytes) noexcept;

// `where` names the source in messages. Throws kUnsupported (no known format), kDataLoss (damaged
// or cut), kResourceExhausted (more than max_pixels).
Image DecodeImage(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options = {});

// Encoded bytes: PNG fast rather than small; JPEG baseline with chroma halved both ways.
// REQUIRES: !image.empty(), quality 1..100. Throws kInvalidArgument (a side that the format cannot
// hold), std::bad_alloc.
std::string EncodePng(const Image& image);
std::string EncodeJpeg(const Image& image, int quality);

}  // namespace octavo

#endif  // OCTAVO_VISION_IMAGE_CODEC_H_
