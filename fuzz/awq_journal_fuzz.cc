// Hostile bytes to the reader of a search's findings. An Error is the expected answer; what is
// accepted is written and read to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "octavo/error.h"
#include "quantize/awq_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const octavo::AwqFinding finding =
        octavo::ReadFinding({reinterpret_cast<const char*>(data), size}, "fuzz");
    for (const auto& [name, adjustment] : finding.adjustments) {
      if (adjustment.packed.empty()) continue;
      if (octavo::PackedBytes(adjustment.packed_layout) != adjustment.packed.size()) std::abort();
    }
    // Numbers may be NaNs, which are not equal to themselves: bytes are compared.
    const std::string written = octavo::WriteFinding(finding);
    if (octavo::WriteFinding(octavo::ReadFinding(written, "fuzz")) != written) std::abort();
  } catch (const octavo::Error&) {
  }
  return 0;
}
