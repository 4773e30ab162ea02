// A TIFF picture's rows of samples, as libtiff hands them over, to rows of 8-bit pixels.
#ifndef OCTAVO_VISION_TIFF_ROWS_H_
#define OCTAVO_VISION_TIFF_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vision/color_profile.h"
#include "vision/sample_depth.h"

namespace octavo {

// What the samples of a pixel mean.
enum class TiffColors {
  kBlackIsZero,
  kWhiteIsZero,
  kPalette,
  kRgb,
  kCmyk,
  kByLibrary,  // YCbCr, L*a*b*, LogLuv: libtiff converts them to RGB
};

enum class TiffAlpha { kNone, kStraight, kPremultiplied };

struct TiffForm {
  uint32_t width = 0;
  uint32_t height = 0;
  uint16_t num_samples = 1;  // of a pixel; those behind colours and alpha are ignored
  TiffColors colors = TiffColors::kBlackIsZero;
  TiffAlpha alpha = TiffAlpha::kNone;  // the sample behind the colours
  SampleDepth depth = {};
  bool is_planar = false;  // samples of a kind together, else those of a pixel

  size_t num_colors() const {
    if (colors == TiffColors::kRgb) return 3;
    return colors == TiffColors::kCmyk ? 4 : 1;
  }
  size_t num_planes() const { return is_planar ? num_samples : 1; }
  // Of a row in one plane.
  size_t samples_per_row() const { return size_t{width} * (is_planar ? 1 : num_samples); }
  PixelLayout layout() const;
};

class RowAssembler {
 public:
  // palette: [2^num_bits, 3] RGB of kPalette. REQUIRES: IsKnownDepth, num_samples >= num_colors()
  // and one more with alpha; not kByLibrary; `form` outlives this. Holds a byte for each sample of
  // a row of all planes.
  RowAssembler(const TiffForm& form, std::vector<uint8_t> palette, SampleRule rule);

  // planes: [num_planes] pointers to samples_per_row() samples each.
  // Float samples of SampleRule::kScale need all rows here before the first Assemble.
  void AddToRange(std::span<const uint8_t* const> planes);
  // out: [width, channels of the layout].
  void Assemble(std::span<const uint8_t* const> planes, uint8_t* out);

 private:
  const TiffForm& form_;
  SampleRule rule_;
  FloatRange range_;
  std::vector<uint8_t> palette_;
  std::vector<uint8_t> samples_;  // one row, 8 bits: interleaved, or plane after plane
};

}  // namespace octavo

#endif  // OCTAVO_VISION_TIFF_ROWS_H_
