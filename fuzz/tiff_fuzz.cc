// Hostile bytes to the TIFF reader, whatever they start with: the chain of pages, then the first of
// them. An Error is the expected answer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "octavo/error.h"
#include "vision/codec_tiff.h"
#include "vision/tiff_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxPagesRead = 4;
  try {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const auto pages = octavo::ListTiffPages(bytes, "fuzz");
    for (size_t i = 0; i < std::min(pages.size(), kMaxPagesRead); ++i) {
      octavo::DecodeTiff(bytes, pages[i], "fuzz", {.max_pixels = int64_t{1} << 20});
    }
  } catch (const octavo::Error&) {
  }
  return 0;
}
