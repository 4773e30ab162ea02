#include "document/table_continuation.h"

#include <cstddef>
#include <string>

#include "base/utf8.h"
#include "document/markdown_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"
#include "text/unicode.h"

namespace octavo {
namespace {

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool EndsWithLetter(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0) {
    --begin;
    if ((static_cast<unsigned char>(text[begin]) & 0xC0u) != 0x80u) break;
  }
  return begin < text.size() &&
         ClassOf(DecodeUtf8(text.substr(begin)).code_point) == CharClass::kLetter;
}

}  // namespace

bool IsTableContinuation(std::string_view caption) {
  constexpr std::string_view kWord = "continued";
  constexpr std::string_view kEnds[] = {
      "(续)", "(续表)", "(续上表)", "(cont.)", "(cont\u2019d)", "(\u2026continued)", "续表"};
  const std::string text = LowerAscii(FoldFullWidthForms(TrimSpace(caption)));
  if (text.find("(continued)") != std::string::npos) return true;
  for (const std::string_view end : kEnds) {
    if (EndsWith(text, end)) return true;
  }
  return EndsWith(text, kWord) &&
         !EndsWithLetter(std::string_view(text).substr(0, text.size() - kWord.size()));
}

}  // namespace octavo
