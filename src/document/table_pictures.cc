#include "document/table_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "document/crops.h"
#include "document/mermaid_text.h"

namespace octavo {
namespace {

constexpr double kCoveredShare = 0.9;

// Letters and figures on 5 x 7 dots; a row is five bits, the left dot the highest.
struct Glyph {
  char character;
  std::array<uint8_t, 7> rows;
};
constexpr int kGlyphWidth = 5;
constexpr int kGlyphHeight = 7;
constexpr Glyph kGlyphs[] = {
    {'A', {0x0E, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11}},
    {'C', {0x0E, 0x11, 0x10, 0x10, 0x10, 0x11, 0x0E}},
    {'D', {0x1E, 0x11, 0x11, 0x11, 0x11, 0x11, 0x1E}},
    {'G', {0x0E, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0F}},
    {'H', {0x11, 0x11, 0x11, 0x1F, 0x11, 0x11, 0x11}},
    {'K', {0x11, 0x12, 0x14, 0x18, 0x14, 0x12, 0x11}},
    {'T', {0x1F, 0x04, 0x04, 0x04, 0x04, 0x04, 0x04}},
    {'W', {0x11, 0x11, 0x11, 0x15, 0x15, 0x1B, 0x11}},
    {'X', {0x11, 0x11, 0x0A, 0x04, 0x0A, 0x11, 0x11}},
    {'Y', {0x11, 0x11, 0x0A, 0x04, 0x04, 0x04, 0x04}},
    {'Z', {0x1F, 0x01, 0x02, 0x04, 0x08, 0x10, 0x1F}},
    {'2', {0x0E, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1F}},
    {'3', {0x1E, 0x01, 0x01, 0x0E, 0x01, 0x01, 0x1E}},
    {'4', {0x02, 0x06, 0x0A, 0x12, 0x1F, 0x02, 0x02}},
    {'5', {0x1F, 0x10, 0x1E, 0x01, 0x01, 0x11, 0x0E}},
    {'6', {0x0E, 0x10, 0x10, 0x1E, 0x11, 0x11, 0x0E}},
    {'7', {0x1F, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08}},
    {'8', {0x0E, 0x11, 0x11, 0x0E, 0x11, 0x11, 0x0E}},
    {'[', {0x0E, 0x08, 0x08, 0x08, 0x08, 0x08, 0x0E}},
    {']', {0x0E, 0x02, 0x02, 0x02, 0x02, 0x02, 0x0E}},
};

using Colour = std::array<uint8_t, 3>;

void FillRectangle(int x0, int y0, int x1, int y1, const Colour& colour, Image* image) {
  for (int y = std::max(0, y0); y < std::min(y1, image->height); ++y) {
    for (int x = std::max(0, x0); x < std::min(x1, image->width); ++x) {
      std::copy(colour.begin(), colour.end(), image->row(y) + ptrdiff_t{3} * x);
    }
  }
}

// Mean of eight points two pixels outside the box.
Colour ColourAround(const PixelBox& box, const Image& image) {
  constexpr int kDistance = 2;
  const int xs[] = {box.x0 - kDistance, (box.x0 + box.x1) / 2, box.x1 + kDistance};
  const int ys[] = {box.y0 - kDistance, (box.y0 + box.y1) / 2, box.y1 + kDistance};
  std::array<int, 3> sums{};
  for (size_t i = 0; i < 9; ++i) {
    if (i == 4) continue;  // the middle
    const uint8_t* pixel = image.row(std::clamp(ys[i / 3], 0, image.height - 1)) +
                           ptrdiff_t{3} * std::clamp(xs[i % 3], 0, image.width - 1);
    for (size_t c = 0; c < 3; ++c) sums[c] += pixel[c];
  }
  Colour colour{};
  for (size_t c = 0; c < 3; ++c) colour[c] = static_cast<uint8_t>(sums[c] / 8);
  return colour;
}

void DrawText(std::string_view text, int x, int y, int scale, const Colour& colour, Image* image) {
  for (const char character : text) {
    const auto* glyph = std::find_if(std::begin(kGlyphs), std::end(kGlyphs),
                                     [&](const Glyph& g) { return g.character == character; });
    for (int row = 0; glyph != std::end(kGlyphs) && row < kGlyphHeight; ++row) {
      for (int column = 0; column < kGlyphWidth; ++column) {
        const unsigned bits = glyph->rows[static_cast<size_t>(row)];
        if ((bits >> static_cast<unsigned>(kGlyphWidth - 1 - column) & 1u) == 0) continue;
        const int left = x + column * scale;
        const int top = y + row * scale;
        FillRectangle(left, top, left + scale, top + scale, colour, image);
      }
    }
    x += (kGlyphWidth + 1) * scale;
  }
}

// The box after the image it lies in, of the given size, was turned counter-clockwise.
PixelBox Turn(const PixelBox& box, int width, int height, int degrees) {
  switch (degrees) {
    case 90:
      return {box.y0, width - box.x1, box.y1, width - box.x0};
    case 180:
      return {width - box.x1, height - box.y1, width - box.x0, height - box.y0};
    case 270:
      return {height - box.y1, box.x0, height - box.y0, box.x1};
    default:
      return box;
  }
}

// Of the fraction of a page's side, as CropBox rounds it.
int EdgeOf(double fraction, int side) {
  return static_cast<int>(std::nearbyint(std::clamp(fraction, 0.0, 1.0) * side));
}

}  // namespace

std::map<size_t, std::vector<size_t>> FindTablePictures(const std::vector<ContentBlock>& blocks) {
  std::map<size_t, std::vector<size_t>> pictures;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].type == "table") pictures[i];
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].type != "image") continue;
    std::optional<size_t> best;
    std::pair<double, double> best_score;  // share covered, area of the table as a negative
    for (const auto& table : pictures) {
      const Bbox& box = blocks[table.first].bbox;
      const std::pair<double, double> score = {CoveredShare(blocks[i].bbox, box), -Area(box)};
      if (score.first < kCoveredShare || (best && score <= best_score)) continue;
      best = table.first;
      best_score = score;
    }
    if (best) pictures[*best].push_back(i);
  }
  for (auto& table : pictures) {
    std::stable_sort(table.second.begin(), table.second.end(), [&](size_t a, size_t b) {
      return std::pair(blocks[a].bbox[1], blocks[a].bbox[0]) <
             std::pair(blocks[b].bbox[1], blocks[b].bbox[0]);
    });
  }
  return pictures;
}

std::string ReplacePictureCodes(std::string_view html, const std::vector<PictureCode>& codes) {
  std::string out(html);
  for (const PictureCode& code : codes) {
    if (code.code.size() < 2) continue;
    const std::string_view inside = std::string_view(code.code).substr(1, code.code.size() - 2);
    const std::string before = std::move(out);
    const std::string_view text = before;
    out.clear();
    for (size_t i = 0; i < text.size();) {
      size_t end = i + 1;
      bool is_code = text[i] == '[';
      if (is_code) end += SpaceLength(text.substr(end));
      is_code = is_code && text.substr(end, inside.size()) == inside;
      if (is_code) end += inside.size();
      if (is_code) end += SpaceLength(text.substr(end));
      if (is_code && end < text.size() && text[end] == ']') {
        out += "<img src=\"" + code.source + "\"/>";
        i = end + 1;
      } else {
        out += text[i++];
      }
    }
  }
  return out;
}

std::string PictureCodeText(size_t number) {
  constexpr std::string_view kCharacters = "ACDGHKTWXYZ2345678";
  constexpr size_t kNumCodes = size_t{18} * 18 * 18 * 18;
  // A step without common divisor with the number of codes visits all of them; neighbours differ
  // in every place.
  size_t code = (number + 1) * 40'487 % kNumCodes;
  std::string text = "[";
  for (int i = 0; i < 4; ++i) {
    text += kCharacters[code % kCharacters.size()];
    code /= kCharacters.size();
  }
  return text + "]";
}

Image CropOfTable(const Image& page, const ContentBlock& table,
                  const std::vector<MaskedPicture>& pictures) {
  Image crop = CropBox(page, table.bbox);
  if (crop.empty()) return {};
  const int width = crop.width;
  const int height = crop.height;
  const int left = EdgeOf(table.bbox[0], page.width);
  const int top = EdgeOf(table.bbox[1], page.height);
  const int angle = table.angle.value_or(0);
  if (angle != 0) crop = RotateCounterClockwise(crop, angle);
  for (const MaskedPicture& picture : pictures) {
    const PixelBox box = {std::clamp(EdgeOf(picture.bbox[0], page.width) - left, 0, width),
                          std::clamp(EdgeOf(picture.bbox[1], page.height) - top, 0, height),
                          std::clamp(EdgeOf(picture.bbox[2], page.width) - left, 0, width),
                          std::clamp(EdgeOf(picture.bbox[3], page.height) - top, 0, height)};
    if (box.x0 >= box.x1 || box.y0 >= box.y1) continue;
    MaskPicture(Turn(box, width, height, angle), picture.code, &crop);
  }
  return PadAndEnlarge(crop);
}

void MaskPicture(const PixelBox& box, std::string_view code, Image* crop) {
  const Colour paper = ColourAround(box, *crop);
  FillRectangle(box.x0, box.y0, box.x1 + 1, box.y1 + 1, paper, crop);
  constexpr double kShare = 0.7;
  const int width = static_cast<int>(code.size()) * (kGlyphWidth + 1) - 1;
  const int box_width = box.width();
  const int box_height = box.height();
  const int scale = std::max(1, static_cast<int>(std::min(kShare * box_width / width,
                                                          kShare * box_height / kGlyphHeight)));
  if (width * scale > box_width || kGlyphHeight * scale > box_height) return;
  const double luminance = 0.299 * paper[0] + 0.587 * paper[1] + 0.114 * paper[2];
  const Colour ink = luminance < 128 ? Colour{255, 255, 255} : Colour{0, 0, 0};
  DrawText(code, box.x0 + (box_width - width * scale) / 2,
           box.y0 + (box_height - kGlyphHeight * scale) / 2, scale, ink, crop);
}

}  // namespace octavo
