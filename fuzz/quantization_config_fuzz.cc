// Hostile bytes to the reader of quantization_config. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "formats/quantization_config.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    octavo::ParseQuantizationConfig(octavo::ParseJson(text, "fuzz"), "fuzz").Describe();
  } catch (const octavo::Error&) {
  }
  return 0;
}
