// What every codec_*.cc of this folder implements, and what the decoders share.
//
// A codec is one file for one format, the only one that includes the format's library. It gives its
// rows to a RowSink (row_sink.h) and hands over the picture as stored, with alpha resolved;
// image_codec turns it upright.
#ifndef OCTAVO_VISION_CODEC_H_
#define OCTAVO_VISION_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/error.h"
#include "vision/image.h"
#include "vision/image_codec.h"

namespace octavo {

struct DecodedImage {
  Image image;
  // As the file holds it.
  int64_t stored_width = 0;
  int64_t stored_height = 0;
  int64_t bits_per_pixel = 0;
  // Neighbours in a stored row that differ visibly; counted where the picture is reduced.
  int64_t num_edges = 0;
  int orientation = 1;                     // EXIF's, 1 to 8; not yet applied
  std::vector<std::string> warnings = {};  // as DecodedPicture has them
};

// "WHERE: image_corrupt: PNG: what", "…: unsupported_media: …", "…: image_too_large: …".
Error CorruptImage(std::string_view where, std::string_view format, std::string_view what);
Error UnsupportedImage(std::string_view where, std::string_view format, std::string_view what);
Error TooLargeImage(std::string_view where, std::string_view what);

// Throws kResourceExhausted if a side is over options.max_side or width x height over
// options.max_pixels, kDataLoss if a side is less than 1. To be called before anything of the
// picture's size is allocated.
void CheckImageSize(int64_t width, int64_t height, std::string_view where,
                    const DecodeOptions& options);
// A picture that can only be read whole. num_held_bytes: what that takes beside the result;
// num_file_bytes: of the file. what: "interlaced PNG".
struct WholePicture {
  int64_t width = 0;
  int64_t height = 0;
  uint64_t num_held_bytes = 0;
  uint64_t num_file_bytes = 0;
  std::string_view what;
};

// Throws kResourceExhausted if it is over options.max_whole_pixels, or over kFreePixels and takes
// more than a hundred bytes for each of the file's: such a file is blank or means harm.
void CheckHeldWhole(const WholePicture& picture, std::string_view where,
                    const DecodeOptions& options);

// Throws kCancelled if options.is_cancelled says so.
void CheckCancelled(const DecodeOptions& options);

// Zeroed bytes for a picture that is held whole as stored. Large ones become memory when they are
// written, so that a header that claims much costs little. Throws std::bad_alloc.
struct FreeBytes {
  void operator()(uint8_t* bytes) const;
};
using LargeBuffer = std::unique_ptr<uint8_t[], FreeBytes>;
LargeBuffer NewLargeBuffer(uint64_t num_bytes);

// The warning of an animation.
std::string FirstFrameOnly();

// rgb[0, 3 num_pixels) from rgba[0, 4 num_pixels): composited on white, or alpha dropped. Equal to
// Pillow's Image.alpha_composite on white, rounding included.
void ResolveAlpha(const uint8_t* rgba, size_t num_pixels, AlphaRule rule, uint8_t* rgb);

}  // namespace octavo

#endif  // OCTAVO_VISION_CODEC_H_
