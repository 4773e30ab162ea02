// Deterministic test pictures: the same bytes as picture(h, w, kind) of the reference tools.
#ifndef OCTAVO_TESTS_TESTING_PICTURE_H_
#define OCTAVO_TESTS_TESTING_PICTURE_H_

#include <cstdint>

#include "vision/image.h"

namespace octavo::testing {

// Channel c of the pixel at (x, y), integer arithmetic only.
inline int64_t PictureValue(int64_t h, int64_t w, int kind, int64_t x, int64_t y, int64_t c) {
  if (kind == 0) return (7 * x + 13 * y + 53 * c + (x ^ y)) % 256;
  if (kind == 1) {  // soft gradients with a few hard dark strokes, like a page
    if ((y / 7) % 3 == 1 && (x * 5 + y * 3) % 11 < 5) return 20 + 10 * c;
    return 255 - (x * (c + 1) + y * (3 - c)) * 255 / (4 * (h + w));
  }
  // A checker board of the highest frequency: hardest for a resampler.
  if (c != 1) return (x + y) % 2 == 0 ? 255 : 0;
  return (x / 2 + y / 3) % 2 == 0 ? 230 : 25;
}

// kind: 0 busy, 1 like a page, 2 checker board. Height comes first, as in the reference tools.
inline Image Picture(int h, int w, int kind) {
  Image image(w, h);
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      for (int c = 0; c < 3; ++c) {
        image.row(y)[3 * x + c] = static_cast<uint8_t>(PictureValue(h, w, kind, x, y, c));
      }
    }
  }
  return image;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_PICTURE_H_
