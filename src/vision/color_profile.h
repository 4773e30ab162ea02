// ColorTransform: pixels under an embedded ICC profile to sRGB, by Little CMS.
#ifndef OCTAVO_VISION_COLOR_PROFILE_H_
#define OCTAVO_VISION_COLOR_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace octavo {

// 8 bits a sample, interleaved. CMYK: 0 is no ink.
enum class PixelLayout { kGrey, kGreyAlpha, kRgb, kRgba, kCmyk };

// Bytes of a pixel.
constexpr size_t NumChannels(PixelLayout layout) {
  switch (layout) {
    case PixelLayout::kGrey:
      return 1;
    case PixelLayout::kGreyAlpha:
      return 2;
    case PixelLayout::kRgb:
      return 3;
    case PixelLayout::kRgba:
    case PixelLayout::kCmyk:
      return 4;
  }
  return 0;
}

// Relative colorimetric with black point compensation: paper stays white, ink black.
class ColorTransform {
 public:
  // Nothing where the pixels are to be taken as they are: `icc` is empty, damaged, longer than
  // 16 MiB or made for another kind of pixels (metadata never makes a picture unreadable), or no
  // sample of the colour space differs from sRGB by more than kVisibleLevels. CMYK is always
  // converted.
  static std::optional<ColorTransform> ToSrgb(std::span<const std::byte> icc, PixelLayout layout);
  ColorTransform(ColorTransform&&) noexcept;
  ColorTransform& operator=(ColorTransform&&) noexcept;
  ~ColorTransform();

  // kGrey and kGreyAlpha: grey to grey, `out` of one byte a pixel [num_pixels]; kGreyAlpha's alpha
  // is the caller's. kRgb: [num_pixels, 3] to the same; kRgba: [num_pixels, 4] to the same, alpha
  // copied; kCmyk: [num_pixels, 4] to [num_pixels, 3]. `out` may be `in` except for kCmyk. Not for
  // two threads at once.
  void Apply(const uint8_t* in, size_t num_pixels, uint8_t* out) const;

 private:
  struct Impl;
  explicit ColorTransform(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Of 255. Wide enough for the many near copies of sRGB and for grey of gamma 2.2, whose pixels thus
// stay equal to the references'; Adobe RGB and Display P3 are far beyond.
inline constexpr int kVisibleLevels = 10;

}  // namespace octavo

#endif  // OCTAVO_VISION_COLOR_PROFILE_H_
