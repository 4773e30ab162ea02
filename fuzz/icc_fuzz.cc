// Hostile bytes as the embedded profile of pixels of each kind. That it is ignored is the expected
// answer. The space that the profile names chooses the kind.
#include <cstddef>
#include <cstdint>
#include <span>

#include "vision/color_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Where the colour space of a profile stands.
  constexpr size_t kSpaceAt = 16;
  if (size <= kSpaceAt) return 0;
  octavo::PixelLayout layout = octavo::PixelLayout::kRgba;
  if (data[kSpaceAt] == 'C') layout = octavo::PixelLayout::kCmyk;
  if (data[kSpaceAt] == 'G') layout = octavo::PixelLayout::kGrey;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto transform = octavo::ColorTransform::ToSrgb(bytes, layout);
  if (!transform) return 0;
  const uint8_t pixels[16] = {0, 1, 2, 255, 128, 64, 32, 16, 255, 255, 255, 255, 9, 8, 7, 6};
  uint8_t out[16];
  transform->Apply(pixels, sizeof(pixels) / octavo::NumChannels(layout), out);
  return 0;
}
