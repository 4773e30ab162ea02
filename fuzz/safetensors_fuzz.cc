// Hostile bytes to the safetensors reader. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/safetensors.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    octavo::ParseSafetensors(bytes, "fuzz");
  } catch (const octavo::Error&) {
  }
  return 0;
}
