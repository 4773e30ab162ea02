// Pages that are in the program: some that quantisation is calibrated on, others to judge it by.
#ifndef OCTAVO_CLI_BUILTIN_PAGES_H_
#define OCTAVO_CLI_BUILTIN_PAGES_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace octavo {

struct BuiltinPage {
  std::string_view name;           // of the file it was made from, in samples/
  std::span<const std::byte> png;  // the whole file
};

std::span<const BuiltinPage> CalibrationPages();
std::span<const BuiltinPage> HeldOutPages();

}  // namespace octavo

#endif  // OCTAVO_CLI_BUILTIN_PAGES_H_
