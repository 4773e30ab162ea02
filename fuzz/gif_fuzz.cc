// Hostile bytes to the GIF decoder, whatever they start with. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <span>

#include "octavo/error.h"
#include "vision/codec_gif.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    octavo::DecodeGif(bytes, "fuzz", {.max_pixels = int64_t{1} << 20});
  } catch (const octavo::Error&) {
  }
  return 0;
}
