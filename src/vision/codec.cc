#include "vision/codec.h"

#include <cstdlib>
#include <new>

#include "base/str_cat.h"

namespace octavo {
namespace {

// a / 255, rounded, for a in [0, 255 * 255].
uint32_t DivideBy255(uint32_t a) {
  const uint32_t biased = a + 128;
  return ((biased >> 8) + biased) >> 8;
}

}  // namespace

Error CorruptImage(std::string_view where, std::string_view format, std::string_view what) {
  return Error(ErrorCode::kDataLoss, StrCat(where, ": image_corrupt: ", format, ": ", what));
}

Error UnsupportedImage(std::string_view where, std::string_view format, std::string_view what) {
  return Error(ErrorCode::kUnsupported, StrCat(where, ": unsupported_media: ", format, ": ", what));
}

Error TooLargeImage(std::string_view where, std::string_view what) {
  return Error(ErrorCode::kResourceExhausted, StrCat(where, ": image_too_large: ", what));
}

void CheckImageSize(int64_t width, int64_t height, std::string_view where,
                    const DecodeOptions& options) {
  if (width < 1 || height < 1) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(where, ": image_corrupt: picture of ", width, "x", height, " pixels"));
  }
  if (width > options.max_side || height > options.max_side) {
    throw TooLargeImage(where, StrCat("picture of ", width, "x", height,
                                      " pixels has a side over the limit of ", options.max_side));
  }
  if (width > options.max_pixels / height) {
    throw TooLargeImage(where,
                        StrCat("picture of ", width, "x", height, " pixels is over the limit of ",
                               options.max_pixels, " pixels"));
  }
}

void CheckHeldWhole(const WholePicture& picture, std::string_view where,
                    const DecodeOptions& options) {
  constexpr uint64_t kMaxRatio = 100;
  int64_t limit = options.max_whole_pixels;
  std::string_view why;
  if (picture.num_held_bytes / kMaxRatio > picture.num_file_bytes) {
    limit = std::min(limit, kFreePixels);
    why = " for so small a file";
  }
  if (picture.width <= limit / picture.height) return;
  throw TooLargeImage(where, StrCat(picture.what, " of ", picture.width, "x", picture.height,
                                    " pixels in ", picture.num_file_bytes,
                                    " bytes, which can only be read whole, is over the limit of ",
                                    limit, " pixels", why));
}

void CheckCancelled(const DecodeOptions& options) {
  if (options.is_cancelled && options.is_cancelled()) {
    throw Error(ErrorCode::kCancelled, "reading the picture was cancelled");
  }
}

void FreeBytes::operator()(uint8_t* bytes) const { std::free(bytes); }

LargeBuffer NewLargeBuffer(uint64_t num_bytes) {
  LargeBuffer buffer(static_cast<uint8_t*>(std::calloc(1, num_bytes)));
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

std::string FirstFrameOnly() {
  return "first_frame_only: the picture is an animation; its first frame is read";
}

void ResolveAlpha(const uint8_t* rgba, size_t num_pixels, AlphaRule rule, uint8_t* rgb) {
  for (size_t i = 0; i < num_pixels; ++i, rgba += 4, rgb += 3) {
    // Dropping alpha is compositing with full opacity.
    const uint32_t alpha = rule == AlphaRule::kDrop ? 255 : rgba[3];
    const uint32_t white = 255 * (255 - alpha);
    rgb[0] = static_cast<uint8_t>(DivideBy255(rgba[0] * alpha + white));
    rgb[1] = static_cast<uint8_t>(DivideBy255(rgba[1] * alpha + white));
    rgb[2] = static_cast<uint8_t>(DivideBy255(rgba[2] * alpha + white));
  }
}

}  // namespace octavo
