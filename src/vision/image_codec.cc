#include "vision/image_codec.h"

#include <algorithm>
#include <utility>

#include "base/str_cat.h"
#include "octavo/error.h"
#include "vision/codec.h"
#include "vision/codec_bmp.h"
#include "vision/codec_gif.h"
#include "vision/codec_jpeg.h"
#include "vision/codec_png.h"
#include "vision/codec_ppm.h"
#include "vision/codec_tiff.h"
#include "vision/codec_webp.h"
#include "vision/exif.h"
#include "vision/media_type.h"
#include "vision/row_sink.h"
#include "vision/tiff_pages.h"

namespace octavo {
namespace {

struct Codec {
  std::string_view name;
  bool (*matches)(std::span<const std::byte> bytes) noexcept;
  DecodedImage (*decode)(std::span<const std::byte> bytes, std::string_view where,
                         const DecodeOptions& options);  // null: of several pages
};

constexpr Codec kCodecs[] = {
    {"png", IsPng, DecodePng}, {"jpeg", IsJpeg, DecodeJpeg}, {"webp", IsWebp, DecodeWebp},
    {"tiff", IsTiff, nullptr}, {"gif", IsGif, DecodeGif},    {"bmp", IsBmp, DecodeBmp},
    {"ppm", IsPpm, DecodePpm},
};

const Codec* FindCodec(std::span<const std::byte> bytes) noexcept {
  for (const Codec& codec : kCodecs) {
    if (codec.matches(bytes)) return &codec;
  }
  return nullptr;
}

const Codec& GetCodec(std::span<const std::byte> bytes, std::string_view where) {
  if (bytes.empty())
    throw Error(ErrorCode::kDataLoss, StrCat(where, ": empty_file: no picture in it"));
  const Codec* codec = FindCodec(bytes);
  if (codec != nullptr) return *codec;
  const std::string_view found = NameMediaType(bytes);
  throw Error(ErrorCode::kUnsupported,
              StrCat(where, ": unsupported_media: found ",
                     found.empty() ? "no known file type" : found, ", expected ", kImageFormats));
}

// Decodes; more than kFreePixels only if the contents need them, which the first of two passes over
// a large picture tells. So neither a blank page of hundreds of megapixels nor a pattern that is
// repeated endlessly takes the memory of a drawing of that size.
template <typename Decode>
DecodedImage DecodeAsNeeded(Decode decode, size_t num_bytes, const DecodeOptions& options) {
  // A page of print at 600 dpi has an edge in every 30 pixels, a sparse drawing in every 300.
  constexpr int64_t kPixelsPerEdge = 500;
  // What is stored in less than a two-hundredth of its samples repeats itself. Print at 600 dpi as
  // a fax has a ratio of 25 to 150; a blank picture in PNG 1030.
  constexpr int64_t kMaxRatio = 200;
  DecodeOptions limited = options;
  limited.max_decoded_pixels = std::min(options.max_decoded_pixels, kFreePixels);
  DecodedImage decoded = decode(limited);
  const int64_t num_sample_bytes =
      decoded.stored_width * decoded.stored_height * decoded.bits_per_pixel / 8;
  if (num_sample_bytes / kMaxRatio > static_cast<int64_t>(num_bytes)) return decoded;
  limited.max_decoded_pixels =
      std::min(options.max_decoded_pixels, decoded.num_edges * kPixelsPerEdge);
  if (limited.max_decoded_pixels <= kFreePixels) return decoded;
  const auto factor = [&](int64_t max_pixels) {
    return ReductionFactor(decoded.stored_width, decoded.stored_height, max_pixels);
  };
  if (factor(limited.max_decoded_pixels) == factor(kFreePixels)) return decoded;
  decoded = {};
  return decode(limited);
}

}  // namespace

std::string_view SniffImageFormat(std::span<const std::byte> bytes) noexcept {
  const Codec* codec = FindCodec(bytes);
  return codec == nullptr ? std::string_view() : codec->name;
}

std::vector<ImagePage> ListImagePages(std::span<const std::byte> bytes, std::string_view where) {
  if (GetCodec(bytes, where).decode != nullptr) return {{}};
  return ListTiffPages(bytes, where);
}

DecodedPicture DecodeImagePage(std::span<const std::byte> bytes, const ImagePage& page,
                               std::string_view where, const DecodeOptions& options) {
  const Codec& codec = GetCodec(bytes, where);
  const auto decode = [&](const DecodeOptions& limited) {
    return codec.decode != nullptr ? codec.decode(bytes, where, limited)
                                   : DecodeTiff(bytes, page, where, limited);
  };
  DecodedImage decoded = DecodeAsNeeded(decode, bytes.size(), options);
  if (options.apply_exif_orientation) {
    const auto check = [&] { CheckCancelled(options); };
    decoded.image = ApplyOrientation(std::move(decoded.image), decoded.orientation, check);
  }
  return {std::move(decoded.image), std::move(decoded.warnings)};
}

Image DecodeImage(std::span<const std::byte> bytes, std::string_view where,
                  const DecodeOptions& options) {
  const ImagePage first = ListImagePages(bytes, where).front();
  return DecodeImagePage(bytes, first, where, options).image;
}

}  // namespace octavo
