#include "document/formula_crops.h"

#include <algorithm>
#include <cmath>

#include "document/crops.h"

namespace octavo {
namespace {

// From the letters of the page to those that the card wants; 1 where they are of its sizes.
double ScaleForLetters(double letter_px, const ModelCard& card) {
  if (letter_px <= 0) return 1.0;
  double wanted = letter_px;
  if (card.equation_max_letter_px > 0)
    wanted = std::min<double>(wanted, card.equation_max_letter_px);
  wanted = std::max<double>(wanted, card.equation_min_letter_px);
  return wanted / letter_px;
}

}  // namespace

Image CropOfFormula(const Image& page, const std::array<double, 4>& bbox, const InkMap& map,
                    int letter_height, const ModelCard& card) {
  // Room for anti-aliased edges; a formula stands half a letter from what is above and below.
  constexpr double kMargin = 0.4;
  constexpr double kMinMargin = 2;
  const double letter_px = static_cast<double>(letter_height) * map.scale;
  const double margin = std::max(kMinMargin, kMargin * letter_px);
  const auto edge = [](double at, double end) {
    return static_cast<int>(std::lround(std::clamp(at, 0.0, end)));
  };
  Image crop = Crop(page, edge(bbox[0] * page.width - margin, page.width),
                    edge(bbox[1] * page.height - margin, page.height),
                    edge(bbox[2] * page.width + margin, page.width),
                    edge(bbox[3] * page.height + margin, page.height));
  if (crop.empty()) return crop;
  if (map.is_inverted) Invert(&crop);
  double scale = ScaleForLetters(letter_px, card);
  if (card.equation_max_width_px > 0) {
    scale = std::min(scale, static_cast<double>(card.equation_max_width_px) / crop.width);
  }
  const auto scaled = [scale](int side) {
    return std::max(1, static_cast<int>(std::lround(side * scale)));
  };
  crop = Resize(crop, scaled(crop.width), scaled(crop.height), kCropResampleRule);
  const int whole = std::max(1, card.equation_multiple_px);
  const auto filled = [whole](int side) { return (side + whole - 1) / whole * whole; };
  const int width = filled(std::max(crop.width, card.equation_min_width_px));
  const int height = filled(crop.height);
  if (width > crop.width || height > crop.height) crop = AddPaper(crop, width, height);
  return PadAndEnlarge(crop);
}

int MaxTokensOfFormula(const Image& crop) {
  // Scripts of scripts have some ten signs, and as many braces and marks, in a square of 28 pixels.
  constexpr int kPixelsOfToken = 40;
  return 64 + crop.width * crop.height / kPixelsOfToken;
}

}  // namespace octavo
