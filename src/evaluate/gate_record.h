// The record of `octavo eval --gate`: for which savings a model has passed.
//
//   {"format": "octavo-gate", "version": 1, "model": "0f…", "gates": [
//     {"quality": "fast", "savings": "prune-blank, layout-side 728", "passed": false,
//      "reasons": ["…"], "pages": 10,
//      "character_error": [0.0229, 0.0312], "seconds_per_page": [1.1, 0.6]}]}
#ifndef OCTAVO_EVALUATE_GATE_RECORD_H_
#define OCTAVO_EVALUATE_GATE_RECORD_H_

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct GateEntry {
  std::string quality;  // "fast"
  std::string savings;  // what that set when it was measured
  bool passed = false;
  std::vector<std::string> reasons = {};  // of not passing
  int num_pages = 0;
  // Without savings, then with them.
  std::array<double, 2> character_error = {};
  std::array<double, 2> seconds_per_page = {};
};

struct GateRecord {
  std::string model;  // which files: cli/gate_file.h
  std::vector<GateEntry> gates;

  // The entry of this quality and these savings; nullptr if there is none.
  const GateEntry* Find(std::string_view quality, std::string_view savings) const;
  // In place of the entry of its quality.
  void Set(GateEntry entry);
};

inline constexpr size_t kMaxGateRecordBytes = size_t{1} << 16;

// `where` names the file in messages. Throws kDataLoss (no JSON, not this format, wrong types or
// more than 16 entries), kUnsupported (another version).
GateRecord ParseGateRecord(std::string_view text, std::string_view where);

// Ends with a line feed; at most kMaxGateRecordBytes: of many reasons the first are kept.
std::string GateRecordJson(const GateRecord& record);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_GATE_RECORD_H_
