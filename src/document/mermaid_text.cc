#include "document/mermaid_text.h"

#include "base/utf8.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool IsWordChar(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

size_t MermaidNameLength(std::string_view text) noexcept {
  size_t length = 0;
  while (length < text.size()) {
    const DecodedChar c = DecodeUtf8(text.substr(length));
    const bool is_ideograph = c.valid && c.code_point >= 0x4E00 && c.code_point <= 0x9FA5;
    if (!is_ideograph && !IsWordChar(text[length]) && text[length] != '-') break;
    length += static_cast<size_t>(c.num_bytes);
  }
  return length;
}

size_t SpaceLength(std::string_view text) noexcept {
  size_t length = 0;
  while (length < text.size()) {
    const DecodedChar c = DecodeUtf8(text.substr(length));
    if (!c.valid || !IsSpace(c.code_point)) break;
    length += static_cast<size_t>(c.num_bytes);
  }
  return length;
}

size_t IdentifierLength(std::string_view text) noexcept {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return 0;
  size_t length = 0;
  while (length < text.size() && IsWordChar(text[length])) ++length;
  return length;
}

size_t DoubleArrowLength(std::string_view text) noexcept {
  size_t length = 0;
  for (const char c : std::string_view("<-->")) {
    if (length > 0) length += SpaceLength(text.substr(length));
    if (length >= text.size() || text[length] != c) return 0;
    ++length;
  }
  return length;
}

bool HasDoubleArrow(std::string_view text) noexcept {
  for (size_t i = text.find('<'); i != std::string_view::npos; i = text.find('<', i + 1)) {
    if (DoubleArrowLength(text.substr(i)) > 0) return true;
  }
  return false;
}

}  // namespace octavo
