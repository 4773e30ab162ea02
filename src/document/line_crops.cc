#include "document/line_crops.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "document/crops.h"

namespace octavo {
namespace {

// Where to cut a cell of a line into `num_pieces`: near the even positions, wide gaps first.
std::vector<int> CutPositions(const LayoutLine& line, const Cell& cell, int num_pieces) {
  std::vector<int> cuts;
  const double piece_width = static_cast<double>(cell.x1 - cell.x0) / num_pieces;
  for (int i = 1; i < num_pieces; ++i) {
    const double wanted = cell.x0 + piece_width * i;
    const int after = cuts.empty() ? cell.x0 : cuts.back();
    const WordGap* best = nullptr;
    double best_cost = 0.45 * piece_width;
    for (const WordGap& gap : line.gaps) {
      const int middle = (gap.x0 + gap.x1) / 2;
      if (middle <= after || middle >= cell.x1) continue;
      const double cost = std::abs(middle - wanted) - 2.0 * (gap.x1 - gap.x0);
      if (cost < best_cost) {
        best_cost = cost;
        best = &gap;
      }
    }
    if (best != nullptr) cuts.push_back((best->x0 + best->x1) / 2);
  }
  return cuts;
}

}  // namespace

std::vector<LinePiece> CutLines(const WhitespaceLayout& layout, const ModelCard& card, int width,
                                int height) {
  std::vector<LinePiece> pieces;
  for (size_t i = 0; i < layout.lines.size(); ++i) {
    const LayoutLine& line = layout.lines[i];
    if (line.is_picture) continue;
    // Room for anti-aliased edges; little enough to leave out the neighbouring lines.
    const int margin_y = std::max(2, static_cast<int>(line.letter_height * 0.12));
    const int margin_x = std::max(2, static_cast<int>(line.letter_height * 0.2));
    for (size_t c = 0; c < line.cells.size(); ++c) {
      const Cell& cell = line.cells[c];
      PixelBox box = {std::max(0, cell.x0 - margin_x), std::max(0, line.box.y0 - margin_y),
                      std::min(width, cell.x1 + margin_x),
                      std::min(height, line.box.y1 + margin_y)};
      int num_pieces = 1;
      if (card.line_max_width_px > 0) {
        const double scale =
            card.line_height_px > 0 ? static_cast<double>(card.line_height_px) / box.height() : 1.0;
        num_pieces = static_cast<int>(std::ceil(box.width() * scale / card.line_max_width_px));
      }
      for (const int cut : CutPositions(line, cell, num_pieces)) {
        pieces.push_back({i, c, {box.x0, box.y0, cut, box.y1}});
        box.x0 = cut;
      }
      pieces.push_back({i, c, box});
    }
  }
  return pieces;
}

Image CropOfLine(const Image& page, const LinePiece& piece, const InkMap& map,
                 const ModelCard& card) {
  const int scale = map.scale;
  Image crop = Crop(page, piece.box.x0 * scale, piece.box.y0 * scale, piece.box.x1 * scale,
                    piece.box.y1 * scale);
  if (crop.empty()) return crop;
  if (map.is_inverted) Invert(&crop);
  if (card.line_height_px > 0) {
    const double factor = static_cast<double>(card.line_height_px) / crop.height;
    const int crop_width = std::max(1, static_cast<int>(std::lround(crop.width * factor)));
    crop = Resize(crop, crop_width, card.line_height_px, kCropResampleRule);
  }
  if (crop.width < card.line_min_width_px) {
    crop = AddPaper(crop, card.line_min_width_px, crop.height);
  }
  return PadAndEnlarge(crop);
}

int MaxTokensOfLine(const Image& crop) {
  // The narrowest print has some four characters in the width of its height.
  return 32 + 6 * crop.width / std::max(1, crop.height);
}

}  // namespace octavo
