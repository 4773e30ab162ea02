#include "vision/tiff_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace octavo {
namespace {

// Colours that were multiplied by their alpha, the last channel, are divided by it.
void DivideByAlpha(size_t num_pixels, size_t num_channels, uint8_t* pixels) {
  for (size_t x = 0; x < num_pixels; ++x, pixels += num_channels) {
    const uint32_t alpha = pixels[num_channels - 1];
    if (alpha == 0) continue;
    for (size_t c = 0; c + 1 < num_channels; ++c) {
      const uint32_t straight = (pixels[c] * 255u + alpha / 2) / alpha;
      pixels[c] = static_cast<uint8_t>(std::min(255u, straight));
    }
  }
}

}  // namespace

PixelLayout TiffForm::layout() const {
  const bool has_alpha = alpha != TiffAlpha::kNone;
  switch (colors) {
    case TiffColors::kBlackIsZero:
    case TiffColors::kWhiteIsZero:
      return has_alpha ? PixelLayout::kGreyAlpha : PixelLayout::kGrey;
    case TiffColors::kRgb:
      return has_alpha ? PixelLayout::kRgba : PixelLayout::kRgb;
    case TiffColors::kCmyk:
      return PixelLayout::kCmyk;
    default:
      return PixelLayout::kRgb;
  }
}

RowAssembler::RowAssembler(const TiffForm& form, std::vector<uint8_t> palette, SampleRule rule)
    : form_(form),
      rule_(rule),
      palette_(std::move(palette)),
      samples_(form.samples_per_row() * form.num_planes()) {
  const size_t num_needed = form.num_colors() + (form.alpha == TiffAlpha::kNone ? 0 : 1);
  OCTAVO_CHECK(IsKnownDepth(form.depth) && form.num_samples >= num_needed &&
                   form.colors != TiffColors::kByLibrary,
               form.num_samples);
  OCTAVO_CHECK(
      form.colors != TiffColors::kPalette || palette_.size() == size_t{3} << form.depth.num_bits,
      palette_.size());
}

void RowAssembler::AddToRange(std::span<const uint8_t* const> planes) {
  for (const uint8_t* plane : planes) range_.Add(plane, form_.samples_per_row(), form_.depth);
}

void RowAssembler::Assemble(std::span<const uint8_t* const> planes, uint8_t* out) {
  const size_t width = form_.width;
  uint8_t* row = samples_.data();
  for (const uint8_t* plane : planes) {
    if (form_.colors == TiffColors::kPalette) {
      UnpackIndices(plane, form_.samples_per_row(), form_.depth.num_bits, row);
    } else {
      SamplesTo8Bits(plane, form_.samples_per_row(), form_.depth, rule_, range_, row);
    }
    row += form_.samples_per_row();
  }
  // Sample c of pixel x is samples_[c * of_sample + x * of_pixel].
  const size_t of_sample = form_.is_planar ? width : 1;
  const size_t of_pixel = form_.is_planar ? 1 : form_.num_samples;
  if (form_.colors == TiffColors::kPalette) {
    for (size_t x = 0; x < width; ++x) {
      std::memcpy(out + 3 * x, palette_.data() + size_t{3} * samples_[x * of_pixel], 3);
    }
    return;
  }
  const size_t num_channels = NumChannels(form_.layout());
  for (size_t c = 0; c < num_channels; ++c) {
    const bool is_inverted = form_.colors == TiffColors::kWhiteIsZero && c == 0;
    const uint8_t flip = is_inverted ? 255 : 0;
    const uint8_t* in = samples_.data() + c * of_sample;
    for (size_t x = 0; x < width; ++x) {
      out[x * num_channels + c] = static_cast<uint8_t>(in[x * of_pixel] ^ flip);
    }
  }
  if (form_.alpha == TiffAlpha::kPremultiplied) DivideByAlpha(width, num_channels, out);
}

}  // namespace octavo
