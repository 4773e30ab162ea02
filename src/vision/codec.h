// What every codec_*.cc of this folder implements, and what the decoders share.
//
// A codec is one file for one format, the only one that includes the format's library. It hands
// over the picture as stored, with alpha resolved; image_codec turns it upright.
#ifndef OCTAVO_VISION_CODEC_H_
#define OCTAVO_VISION_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vision/image.h"
#include "vision/image_codec.h"

namespace octavo {

struct DecodedImage {
  Image image;
  int orientation = 1;  // EXIF's, 1 to 8; not yet applied
};

// Throws kResourceExhausted if width x height is over options.max_pixels, kDataLoss if a side is
// less than 1. To be called before anything of the picture's size is allocated.
void CheckImageSize(int64_t width, int64_t height, std::string_view where,
                    const DecodeOptions& options);

// rgb[0, 3 num_pixels) from rgba[0, 4 num_pixels): composited on white, or alpha dropped. Equal to
// Pillow's Image.alpha_composite on white, rounding included.
void ResolveAlpha(const uint8_t* rgba, size_t num_pixels, AlphaRule rule, uint8_t* rgb);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_H_
