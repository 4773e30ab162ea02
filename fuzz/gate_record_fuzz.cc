// Hostile bytes to the reader of gate records. An Error is the expected answer; what is read is
// written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "evaluate/gate_record.h"
#include "octavo/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  octavo::GateRecord record;
  try {
    record = octavo::ParseGateRecord({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const octavo::Error&) {
    return 0;
  }
  const octavo::GateRecord again =
      octavo::ParseGateRecord(octavo::GateRecordJson(record), "written");
  if (again.gates.size() != record.gates.size() || again.model != record.model) std::abort();
  return 0;
}
