#include "document/formula_crops.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "document/crops.h"

namespace octavo {
namespace {

// The box with room for anti-aliased edges; a formula stands half a letter from what is above and
// below.
Image CutWithMargin(const Image& page, const std::array<double, 4>& bbox, double letter_px) {
  constexpr double kMargin = 0.4;
  constexpr double kMinMargin = 2;
  const double margin = std::max(kMinMargin, kMargin * letter_px);
  const auto edge = [](double at, double end) {
    return static_cast<int>(std::lround(std::clamp(at, 0.0, end)));
  };
  return Crop(page, edge(bbox[0] * page.width - margin, page.width),
              edge(bbox[1] * page.height - margin, page.height),
              edge(bbox[2] * page.width + margin, page.width),
              edge(bbox[3] * page.height + margin, page.height));
}

// From the letters of the page to those that the card wants, as far as its width allows; 1 where
// all is as it wants it.
double ScaleOf(const Image& crop, double letter_px, const ModelCard& card) {
  double scale = 1;
  if (letter_px > 0) {
    double wanted = std::max<double>(letter_px, card.equation_min_letter_px);
    if (card.equation_max_letter_px > 0) {
      wanted = std::min<double>(wanted, card.equation_max_letter_px);
    }
    scale = wanted / letter_px;
  }
  if (card.equation_max_width_px > 0) {
    scale = std::min(scale, static_cast<double>(card.equation_max_width_px) / crop.width);
  }
  // What is enlarged has few pixels; a page of dots that passed for letters has not.
  constexpr double kMaxPixels = 4e6;
  const double pixels = static_cast<double>(crop.width) * crop.height;
  return scale > 1 ? std::max(1.0, std::min(scale, std::sqrt(kMaxPixels / pixels))) : scale;
}

int MaxTokensOf(const Image& crop) {
  // Scripts of scripts have some ten signs, and as many braces and marks, in a square of 28 pixels.
  constexpr int64_t kPixelsOfToken = 40;
  constexpr int64_t kMost = 4096;
  const int64_t pixels = int64_t{crop.width} * crop.height;
  return static_cast<int>(std::min(kMost, 64 + pixels / kPixelsOfToken));
}

}  // namespace

FormulaCrop CropOfFormula(const Image& page, const std::array<double, 4>& bbox, const InkMap& map,
                          int letter_height, const ModelCard& card) {
  const double letter_px = static_cast<double>(letter_height) * map.scale;
  Image crop = CutWithMargin(page, bbox, letter_px);
  if (crop.empty()) return {};
  if (map.is_inverted) Invert(&crop);
  const double scale = ScaleOf(crop, letter_px, card);
  const auto scaled = [scale](int side) {
    return std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  crop = Resize(crop, scaled(crop.width), scaled(crop.height), kCropResampleRule);
  const int max_new_tokens = MaxTokensOf(crop);
  const int whole = std::max(1, card.equation_multiple_px);
  const auto filled = [whole](int side) { return (side + whole - 1) / whole * whole; };
  const int width = filled(std::max(crop.width, card.equation_min_width_px));
  const int height = filled(crop.height);
  if (width > crop.width || height > crop.height) crop = AddPaper(crop, width, height);
  return {PadAndEnlarge(crop), max_new_tokens};
}

}  // namespace octavo
