#include "document/white_space.h"

#include <cstddef>

#include "base/utf8.h"

namespace octavo {
namespace {

// The character that ends `text`; its bytes are at most 4.
DecodedChar LastChar(std::string_view text) noexcept {
  size_t start = text.size() - 1;
  while (start > 0 && text.size() - start < 4 &&
         (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80u) {
    --start;
  }
  const DecodedChar c = DecodeUtf8(text.substr(start));
  if (c.valid && start + static_cast<size_t>(c.num_bytes) == text.size()) return c;
  return {kReplacementCharacter, 1, false};
}

}  // namespace

bool IsSpace(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

std::string_view TrimSpace(std::string_view text) noexcept {
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    if (!c.valid || !IsSpace(c.code_point)) break;
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
  }
  while (!text.empty()) {
    const DecodedChar c = LastChar(text);
    if (!c.valid || !IsSpace(c.code_point)) break;
    text.remove_suffix(static_cast<size_t>(c.num_bytes));
  }
  return text;
}

}  // namespace octavo
