#include "vision/image_codec.h"

#include <utility>

#include "base/str_cat.h"
#include "octavo/error.h"
#include "vision/codec.h"
#include "vision/codec_jpeg.h"
#include "vision/codec_png.h"
#include "vision/codec_ppm.h"
#include "vision/exif.h"

namespace octavo {
namespace {

struct Codec {
  std::string_view name;
  bool (*matches)(std::span<const std::byte> bytes) noexcept;
  DecodedImage (*decode)(std::span<const std::byte> bytes, std::string_view where,
                         const DecodeOptions& options);
};

constexpr Codec kCodecs[] = {
    {"png", IsPng, DecodePng},
    {"jpeg", IsJpeg, DecodeJpeg},
    {"ppm", IsPpm, DecodePpm},
};

const Codec* FindCodec(std::span<const std::byte> bytes) noexcept {
  for (const Codec& codec : kCodecs) {
    if (codec.matches(bytes)) return &codec;
  }
  return nullptr;
}

}  // namespace

std::string_view SniffImageFormat(std::span<const std::byte> bytes) noexcept {
  const Codec* codec = FindCodec(bytes);
  return codec == nullptr ? std::string_view() : codec->name;
}

Image DecodeImage(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options) {
  if (bytes.empty()) throw Error(ErrorCode::kDataLoss, StrCat(where, ": empty, no picture in it"));
  const Codec* codec = FindCodec(bytes);
  if (codec == nullptr) {
    throw Error(ErrorCode::kUnsupported,
                StrCat(where, ": no picture format that octavo reads (PNG, JPEG, PPM)"));
  }
  DecodedImage decoded = codec->decode(bytes, where, options);
  if (!options.apply_exif_orientation) return std::move(decoded.image);
  return ApplyOrientation(std::move(decoded.image), decoded.orientation);
}

}  // namespace octavo
