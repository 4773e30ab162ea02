#include "document/markdown_text.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/utf8.h"
#include "document/white_space.h"

namespace octavo {
namespace {

template <typename F>
std::string Fold(std::string_view text, F is_folded) {
  constexpr char32_t kToAscii = 0xFEE0;
  std::string out;
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const auto length = static_cast<size_t>(c.num_bytes);
    if (is_folded(c.code_point)) {
      out += static_cast<char>(c.code_point - kToAscii);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string EscapeMarkdown(std::string_view text) {
  constexpr std::string_view kSpecial = "*_`~$";
  std::string out;
  size_t num_backslashes = 0;
  for (const char c : text) {
    if (kSpecial.find(c) != std::string_view::npos && num_backslashes % 2 == 0) out += '\\';
    out += c;
    num_backslashes = c == '\\' ? num_backslashes + 1 : 0;
  }
  return out;
}

std::string EscapeMarkdownPrefix(std::string text) {
  constexpr size_t kMaxIndent = 3;
  constexpr size_t kMaxHashes = 6;
  const size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
  if (indent == text.size() || indent > kMaxIndent) return text;
  const char mark = text[indent];
  if (mark != '#' && mark != '+' && mark != '-') return text;
  const size_t end =
      mark == '#' ? std::min(text.find_first_not_of('#', indent), text.size()) : indent + 1;
  if (end - indent > kMaxHashes || end >= text.size()) return text;
  if (text[end] == ' ' || text[end] == '\t') text.insert(indent, 1, '\\');
  return text;
}

std::string FoldFullWidth(std::string_view text) {
  return Fold(text, [](char32_t c) {
    return (c >= 0xFF10 && c <= 0xFF19) || (c >= 0xFF21 && c <= 0xFF3A) ||
           (c >= 0xFF41 && c <= 0xFF5A);
  });
}

std::string FoldFullWidthForms(std::string_view text) {
  return Fold(text, [](char32_t c) { return c >= 0xFF01 && c <= 0xFF5E; });
}

bool EndsWithHyphen(std::string_view text) {
  constexpr std::string_view kHyphens[] = {"-", "\xC2\xAD", "\xE2\x80\x90", "\xE2\x80\x91",
                                           "\xE2\x81\x83"};
  text = TrimSpace(text);
  return std::any_of(std::begin(kHyphens), std::end(kHyphens), [&](std::string_view hyphen) {
    if (text.size() <= hyphen.size()) return false;
    const char before = text[text.size() - hyphen.size() - 1];
    const bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
    return is_letter && text.substr(text.size() - hyphen.size()) == hyphen;
  });
}

}  // namespace octavo
