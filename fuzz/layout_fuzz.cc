// Hostile bytes to the reader of layout answers, and to what watches them. An Error is the expected
// answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "document/layout_guard.h"
#include "document/layout_parser.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    octavo::ParseLayout(text);
    octavo::LayoutGuard guard;
    for (size_t i = 0; i < size; i += 5) guard.Add(text.substr(i, 5));
  } catch (const octavo::Error&) {
  }
  return 0;
}
