#include "document/join_lines.h"

#include <cstddef>
#include <string_view>

#include "base/utf8.h"

namespace octavo {
namespace {

bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsAsciiLetter(char c) { return (c >= 'A' && c <= 'Z') || IsAsciiLower(c); }

bool IsCjk(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x3000 && c <= 0x30FF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

char32_t LastCodePoint(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80u) --start;
  return DecodeUtf8(text.substr(start)).code_point;
}

}  // namespace

std::string JoinLines(const std::string& first, const std::string& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  const size_t n = first.size();
  if (first.back() == '-' && n >= 2 && IsAsciiLetter(first[n - 2]) && IsAsciiLower(second[0])) {
    return first.substr(0, n - 1) + second;
  }
  if (IsCjk(LastCodePoint(first)) && IsCjk(DecodeUtf8(second).code_point)) return first + second;
  return first + " " + second;
}

}  // namespace octavo
