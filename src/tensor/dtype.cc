#include "tensor/dtype.h"

#include <array>

#include "base/check.h"

namespace octavo {
namespace {

struct Entry {
  DType dtype;
  std::string_view name;
  size_t size_bytes;
};

// In the order of the enumeration.
constexpr std::array<Entry, 11> kEntries = {{
    {DType::kF32, "F32", 4},
    {DType::kF16, "F16", 2},
    {DType::kBF16, "BF16", 2},
    {DType::kI64, "I64", 8},
    {DType::kI32, "I32", 4},
    {DType::kI16, "I16", 2},
    {DType::kI8, "I8", 1},
    {DType::kU8, "U8", 1},
    {DType::kBool, "BOOL", 1},
    {DType::kF8E4M3, "F8_E4M3", 1},
    {DType::kF8E5M2, "F8_E5M2", 1},
}};

const Entry& EntryOf(DType dtype) {
  const Entry& entry = kEntries[static_cast<size_t>(dtype)];
  OCTAVO_DCHECK(entry.dtype == dtype);
  return entry;
}

}  // namespace

size_t DTypeSize(DType dtype) noexcept { return EntryOf(dtype).size_bytes; }

std::string_view DTypeName(DType dtype) noexcept { return EntryOf(dtype).name; }

std::optional<DType> ParseDType(std::string_view name) noexcept {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.dtype;
  }
  return std::nullopt;
}

}  // namespace octavo
