// Hostile bytes to the picture decoders. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <span>

#include "octavo/error.h"
#include "vision/image_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    octavo::DecodeImage(bytes, "fuzz", {.max_pixels = int64_t{1} << 22});
  } catch (const octavo::Error&) {
  }
  return 0;
}
