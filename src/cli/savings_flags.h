// Flags of doing less work, which several commands have: --quality and the switches that it sets.
#ifndef OCTAVO_CLI_SAVINGS_FLAGS_H_
#define OCTAVO_CLI_SAVINGS_FLAGS_H_

#include <optional>
#include <string>

#include "document/quality.h"
#include "octavo/document.h"

namespace octavo {

// As they were given.
struct SavingsFlags {
  std::string quality = {};  // "best", "balanced", "fast"; "": not said
  // Over what the quality sets.
  std::optional<bool> prune_blank = {};
  std::optional<int> layout_side = {};
  std::optional<int> line_height_px = {};
};

// What is saved; `unsaid` is the quality where the flags have none. Throws kInvalidArgument (a size
// out of range).
Savings ResolveSavings(const SavingsFlags& flags, Quality unsaid);

// "prune-blank, layout-side 728, line-height 28"; "nothing".
std::string DescribeSavings(const Savings& savings);

}  // namespace octavo

#endif  // OCTAVO_CLI_SAVINGS_FLAGS_H_
