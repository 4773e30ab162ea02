// Who finds the blocks of a page, by its name on the command line.
#ifndef OCTAVO_CLI_LAYOUT_NAME_H_
#define OCTAVO_CLI_LAYOUT_NAME_H_

#include <string_view>

#include "octavo/document.h"

namespace octavo {

// "model", "whitespace" or "auto"; args.cc lets no other through.
inline ParseOptions::Layout LayoutOfName(std::string_view name) noexcept {
  if (name == "model") return ParseOptions::Layout::kModel;
  if (name == "whitespace") return ParseOptions::Layout::kWhitespace;
  return ParseOptions::Layout::kAuto;
}

}  // namespace octavo

#endif  // OCTAVO_CLI_LAYOUT_NAME_H_
