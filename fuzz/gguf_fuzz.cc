// Hostile bytes to the GGUF reader. An Error is the expected answer; what is accepted must lie
// inside the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "formats/gguf.h"
#include "formats/gguf_texts.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    const octavo::Gguf gguf = octavo::Gguf::Parse(bytes, "fuzz");
    for (const octavo::GgufTensor& tensor : gguf.tensors()) {
      const bool inside = tensor.bytes.data() >= bytes.data() &&
                          tensor.bytes.data() + tensor.bytes.size() <= bytes.data() + size;
      if (!inside) std::abort();
    }
    // One file as both: most metadata is looked at, whatever the architecture.
    octavo::GgufTextFiles(gguf, gguf, {true, 8, 32, 128}, "fuzz");
  } catch (const octavo::Error&) {
  }
  return 0;
}
