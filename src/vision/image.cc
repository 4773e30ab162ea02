#include "vision/image.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace octavo {
namespace {

// The pixel at column x of a row.
uint8_t* At(uint8_t* row, int x) { return row + static_cast<size_t>(x) * 3; }
const uint8_t* At(const uint8_t* row, int x) { return row + static_cast<size_t>(x) * 3; }

void CopyPixel(uint8_t* out, const uint8_t* in) {
  out[0] = in[0];
  out[1] = in[1];
  out[2] = in[2];
}

// Square tiles keep both sides of a quarter turn in the first-level cache.
constexpr int kTile = 32;

// Fills the tile of `out` at (tile_x, tile_y): output rows run along input columns.
// Clockwise: out(x, y) = in(y, height - 1 - x); else out(x, y) = in(width - 1 - y, x).
void QuarterTurnTile(const Image& image, bool clockwise, int tile_x, int tile_y, Image* out) {
  const int end_x = std::min(tile_x + kTile, out->width);
  const int end_y = std::min(tile_y + kTile, out->height);
  for (int y = tile_y; y < end_y; ++y) {
    const int in_x = clockwise ? y : image.width - 1 - y;
    uint8_t* out_row = out->row(y);
    for (int x = tile_x; x < end_x; ++x) {
      const int in_y = clockwise ? image.height - 1 - x : x;
      CopyPixel(At(out_row, x), At(image.row(in_y), in_x));
    }
  }
}

Image QuarterTurn(const Image& image, bool clockwise, const StopCheck& check) {
  Image out(image.height, image.width);
  for (int tile_y = 0; tile_y < out.height; tile_y += kTile) {
    if (check) check();
    for (int tile_x = 0; tile_x < out.width; tile_x += kTile) {
      QuarterTurnTile(image, clockwise, tile_x, tile_y, &out);
    }
  }
  return out;
}

void CopyMirrored(const uint8_t* in_row, int width, uint8_t* out_row) {
  for (int x = 0; x < width; ++x) CopyPixel(At(out_row, x), At(in_row, width - 1 - x));
}

Image HalfTurn(const Image& image, const StopCheck& check) {
  Image out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    if (check && y % kTile == 0) check();
    CopyMirrored(image.row(image.height - 1 - y), image.width, out.row(y));
  }
  return out;
}

}  // namespace

Image Crop(const Image& image, int x0, int y0, int x1, int y1) {
  x0 = std::clamp(x0, 0, image.width);
  x1 = std::clamp(x1, 0, image.width);
  y0 = std::clamp(y0, 0, image.height);
  y1 = std::clamp(y1, 0, image.height);
  if (x0 >= x1 || y0 >= y1) return {};
  Image out(x1 - x0, y1 - y0);
  const size_t row_bytes = static_cast<size_t>(out.width) * 3;
  for (int y = y0; y < y1; ++y) {
    std::memcpy(out.row(y - y0), At(image.row(y), x0), row_bytes);
  }
  return out;
}

Image RotateCounterClockwise(const Image& image, int degrees, const StopCheck& check) {
  OCTAVO_CHECK(degrees == 0 || degrees == 90 || degrees == 180 || degrees == 270, degrees);
  if (degrees == 0) return image;
  if (degrees == 180) return HalfTurn(image, check);
  return QuarterTurn(image, degrees == 270, check);
}

Image FlipHorizontally(const Image& image, const StopCheck& check) {
  Image out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    if (check && y % kTile == 0) check();
    CopyMirrored(image.row(y), image.width, out.row(y));
  }
  return out;
}

Image PadTo(const Image& image, int width, int height, int x, int y, uint8_t value) {
  OCTAVO_CHECK(x >= 0 && y >= 0 && width - x >= image.width && height - y >= image.height,
               image.width, "x", image.height, " at ", x, ",", y, " on ", width, "x", height);
  Image out(width, height, value);
  if (image.empty()) return out;
  const size_t row_bytes = static_cast<size_t>(image.width) * 3;
  for (int in_y = 0; in_y < image.height; ++in_y) {
    std::memcpy(At(out.row(y + in_y), x), image.row(in_y), row_bytes);
  }
  return out;
}

}  // namespace octavo
