// Image: 8-bit RGB pixels, with crop, quarter turns and padding.
#ifndef OCTAVO_VISION_IMAGE_H_
#define OCTAVO_VISION_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace octavo {

// pixels: [height, width, 3] u8, rows without padding. Dimensions are in pixels, >= 1 when filled.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels;

  Image() = default;
  // Filled with `value` in every channel. REQUIRES: w, h >= 0.
  Image(int w, int h, uint8_t value = 255)
      : width(w), height(h), pixels(static_cast<size_t>(w) * static_cast<size_t>(h) * 3, value) {}

  bool empty() const { return width == 0 || height == 0; }
  uint8_t* row(int y) {
    return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width) * 3;
  }
  const uint8_t* row(int y) const {
    return pixels.data() + static_cast<size_t>(y) * static_cast<size_t>(width) * 3;
  }
};

// Called now and then during long work; may throw to give it up. Empty: nothing is called.
using StopCheck = std::function<void()>;

// The pixels of [x0, x1) x [y0, y1), which is clamped to the image. Empty if nothing is left.
Image Crop(const Image& image, int x0, int y0, int x1, int y1);

// Turned counter-clockwise by 90, 180 or 270 degrees; 0 copies. REQUIRES: one of these.
Image RotateCounterClockwise(const Image& image, int degrees, const StopCheck& check = {});

// Mirrored left to right.
Image FlipHorizontally(const Image& image, const StopCheck& check = {});

// Laid at (x, y) on a canvas of the given size and value. REQUIRES: it fits.
Image PadTo(const Image& image, int width, int height, int x, int y, uint8_t value);

}  // namespace octavo

#endif  // OCTAVO_VISION_IMAGE_H_
