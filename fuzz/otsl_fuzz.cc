// Hostile bytes to the reader of table answers. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "document/otsl.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    octavo::OtslToHtml(text, octavo::OtslRule::kKeepText);
    octavo::OtslToHtml(text, octavo::OtslRule::kReference);
  } catch (const octavo::Error&) {
  }
  return 0;
}
