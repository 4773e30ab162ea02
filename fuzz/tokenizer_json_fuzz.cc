// Hostile bytes to the loader of tokenizer.json. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "octavo/error.h"
#include "text/tokenizer_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    octavo::LoadTokenizerJson(text, "fuzz");
  } catch (const octavo::Error&) {
  }
  return 0;
}
