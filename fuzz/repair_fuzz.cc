// Hostile bytes to the repairs of text and formulas. An Error is the expected answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "document/repair_equation.h"
#include "document/repair_text.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    octavo::RepairText(text);
    octavo::WrapTableFormulas(text);
    octavo::WrapEquation(octavo::RepairEquation(text));
  } catch (const octavo::Error&) {
  }
  return 0;
}
