// Encoded pictures to Image and back: sniffed by content, limited before allocation.
#ifndef OCTAVO_VISION_IMAGE_CODEC_H_
#define OCTAVO_VISION_IMAGE_CODEC_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vision/image.h"

namespace octavo {

// What becomes of transparency.
enum class AlphaRule {
  kOnWhite,  // composited on white: octavo's rule and transformers'
  kDrop,     // colour channels as stored: the MinerU client's rule
};

// How samples of more than 8 bits become 8.
enum class SampleRule {
  kScale,     // over the whole range, rounded: octavo's rule
  kAsPillow,  // 16-bit grey clipped at 255, 16-bit colours cut to the high byte, floats cut to
              // integers and clipped: what the references make of them
};

// What becomes of an embedded colour profile.
enum class ProfileRule {
  kToSrgb,  // converted where the profile differs visibly from sRGB: octavo's rule
  kIgnore,  // the references' rule
};

struct DecodeOptions {
  int64_t max_pixels = int64_t{1} << 29;  // width x height as stored; larger is refused
  int64_t max_side = int64_t{1} << 20;    // a longer one is refused: some rows are held
  // Of the result; larger pictures are averaged down as their rows come. More than kFreePixels are
  // given only to pictures whose contents need them.
  int64_t max_decoded_pixels = int64_t{1} << 26;
  int64_t max_whole_pixels = int64_t{1} << 26;  // of a picture that can only be read whole
  // Blocks of 8 x 8 coefficients that the scans of a JPEG go through, all together: a scan of a few
  // bytes may name every block. Real files go through the largest picture's 4 to 10 times, here 16.
  int64_t max_scanned_blocks = int64_t{1} << 27;
  AlphaRule alpha = AlphaRule::kOnWhite;
  SampleRule samples = SampleRule::kScale;
  ProfileRule profile = ProfileRule::kToSrgb;
  bool apply_exif_orientation = true;
  // Asked about every 2^18 pixels on the calling thread; true ends decoding and turning with
  // kCancelled. Empty: never.
  std::function<bool()> is_cancelled = {};
};

// A page of 300 dpi, of any usual size. What is larger must be worth it: see image_codec.cc.
inline constexpr int64_t kFreePixels = 12'000'000;

// "png", "jpeg", "webp", "tiff", "gif", "bmp", "ppm", or "" if the bytes are none that octavo
// decodes.
std::string_view SniffImageFormat(std::span<const std::byte> bytes) noexcept;

// The formats, for messages: "PNG, JPEG, …".
inline constexpr std::string_view kImageFormats = "PNG, JPEG, WebP, TIFF, GIF, BMP or PPM";

// Where a page of a picture file stands. Only TIFF has more than one.
struct ImagePage {
  uint64_t offset = 0;  // of the TIFF directory; 0 in other formats
};

// The pages in order, at least one; reads no pixels. Throws kUnsupported (no known format),
// kDataLoss (empty, or a TIFF file without any directory).
std::vector<ImagePage> ListImagePages(std::span<const std::byte> bytes, std::string_view where);

// A picture as it is meant to be seen, with what the reader should know of it.
struct DecodedPicture {
  Image image;
  // Each "code: text". first_frame_only: an animation; page_downscaled: over max_decoded_pixels;
  // image_damaged: lines of a fax could not be read; image_truncated: the file lacks its end, but
  // no pixel.
  std::vector<std::string> warnings;
};

// `page` is one of ListImagePages of the same bytes; `where` names the source in messages. Throws
// kUnsupported (no known format, or a form of it that octavo does not read; names what was found),
// kDataLoss (damaged or cut), kResourceExhausted (over a limit), kCancelled, std::bad_alloc. Safe
// from any thread.
DecodedPicture DecodeImagePage(std::span<const std::byte> bytes, const ImagePage& page,
                               std::string_view where, const DecodeOptions& options = {});

// The first page, without its warnings. Throws as ListImagePages and DecodeImagePage.
Image DecodeImage(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options = {});

// Encoded bytes: PNG fast rather than small; JPEG baseline with chroma halved both ways.
// REQUIRES: !image.empty(), quality 1..100. Throws kInvalidArgument (a side that the format cannot
// hold), std::bad_alloc.
std::string EncodePng(const Image& image);
std::string EncodeJpeg(const Image& image, int quality);

}  // namespace octavo

#endif  // OCTAVO_VISION_IMAGE_CODEC_H_
