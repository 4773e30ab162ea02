// Pages with print-like marks for tests of white-space reading: letters are boxes with ascenders
// and descenders, words and lines stand as in print.
#ifndef OCTAVO_TESTS_TESTING_PRINTED_PAGE_H_
#define OCTAVO_TESTS_TESTING_PRINTED_PAGE_H_

#include <algorithm>
#include <cstdint>

#include "vision/image.h"

namespace octavo {

class PrintedPage {
 public:
  PrintedPage(int width, int height, uint8_t paper = 255, uint8_t ink = 20)
      : image_(width, height, paper), ink_(ink) {}

  const Image& image() const { return image_; }
  Image& image() { return image_; }

  void Fill(int x0, int y0, int x1, int y1, uint8_t value) {
    for (int y = std::max(0, y0); y < std::min(y1, image_.height); ++y) {
      uint8_t* row = image_.row(y);
      for (int x = std::max(0, x0); x < std::min(x1, image_.width); ++x) {
        std::fill(row + x * 3, row + x * 3 + 3, value);
      }
    }
  }

  // One line of words from x0 to about x1 with its baseline at y. `size`: height of an "x" in
  // pixels; a letter is 0.8 size wide. `slope`: pixels down per pixel to the right. Returns the
  // right edge of the last letter.
  int Line(int x0, int x1, int y, int size = 14, int stroke = 3, double slope = 0) {
    const int letter = size * 4 / 5;
    int x = x0;
    int right = x0;
    for (int i = 0; x + letter <= x1; ++i) {
      // Words of 3 to 7 letters.
      if (i % 8 == 3 + (i / 8) % 5) {
        x += size * 3 / 4;
        continue;
      }
      const int dy = static_cast<int>(slope * (x - x0));
      const int top = i % 3 == 0 ? y - size * 3 / 2 : y - size;
      const int bottom = i % 5 == 4 ? y + size / 2 : y;
      Fill(x, top + dy, x + stroke, bottom + dy, ink_);
      Fill(x, y - stroke + dy, x + letter - 2, y + dy, ink_);
      Fill(x + letter - 2 - stroke, y - size + dy, x + letter - 2, y + dy, ink_);
      right = x + letter - 2;
      x += letter + 1;
    }
    return right;
  }

 private:
  Image image_;
  uint8_t ink_;
};

}  // namespace octavo

#endif  // OCTAVO_TESTS_TESTING_PRINTED_PAGE_H_
