// Bicubic resampling identical to the reference libraries, by named rule.
#ifndef OCTAVO_VISION_RESIZE_H_
#define OCTAVO_VISION_RESIZE_H_

#include "vision/image.h"

namespace octavo {

// Antialiased Keys cubic (a = -0.5) in every rule; they differ in fixed-point form and in the order
// of the two passes.
enum class ResampleRule {
  kTorchvision,            // torchvision 0.28 uint8 on CPU: int16 weights; horizontal first.
                           // What the Qwen2-VL "fast" processor does.
  kPillowHorizontalFirst,  // Pillow <= 12.1: 22-bit weights; horizontal pass first
  kPillow12,               // Pillow 12.2 and 12.3: vertical first if h > 100 w
  kPillow13,               // Pillow 13: vertical first iff H < h and h - H > 2 (w - W)
};

// REQUIRES: a non-empty image, width and height >= 1. Equal size returns a copy.
Image Resize(const Image& image, int width, int height, ResampleRule rule);

}  // namespace octavo

#endif  // OCTAVO_VISION_RESIZE_H_
