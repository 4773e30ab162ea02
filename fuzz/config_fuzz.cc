// Hostile bytes to the readers of config.json and preprocessor_config.json. An Error is the
// expected answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/config.h"
#include "octavo/error.h"
#include "vision/preprocess.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
      octavo::ParsePreprocessorConfig(text, "fuzz");
    } catch (const octavo::Error&) {
    }
    octavo::ExpectedTensors(octavo::ParseModelConfig(text, "", "fuzz"));
  } catch (const octavo::Error&) {
  }
  return 0;
}
