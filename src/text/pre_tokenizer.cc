// A hand-written matcher of kQwen2Pattern; one function an alternative, or two where a backtrack
// joins them.
#include "text/pre_tokenizer.h"

#include "base/check.h"
#include "base/utf8.h"
#include "text/unicode.h"

namespace octavo {
namespace {

constexpr char32_t kLongS = 0x17F;  // folds to s

struct Char {
  char32_t code_point = 0;
  size_t num_bytes = 0;  // 0 at the end of the text
  CharClass char_class = CharClass::kOther;

  bool at_end() const { return num_bytes == 0; }
  bool Is(CharClass wanted) const { return num_bytes != 0 && char_class == wanted; }
  bool IsNewline() const { return num_bytes != 0 && (code_point == U'\r' || code_point == U'\n'); }
};

Char CharAt(std::string_view text, size_t pos) noexcept {
  if (pos >= text.size()) return {};
  const auto first = static_cast<unsigned char>(text[pos]);
  if (first < 0x80) return {first, 1, ClassOf(first)};
  const DecodedChar c = DecodeUtf8(text.substr(pos));
  return {c.code_point, static_cast<size_t>(c.num_bytes), ClassOf(c.code_point)};
}

// ASCII letters in lower case; other characters as they are.
char32_t Lower(char32_t c) { return c >= U'A' && c <= U'Z' ? c + 32 : c; }

// End of the run of `char_class` that begins at `pos`.
size_t RunEnd(std::string_view text, size_t pos, CharClass char_class) noexcept {
  for (Char c = CharAt(text, pos); c.Is(char_class); c = CharAt(text, pos)) pos += c.num_bytes;
  return pos;
}

// (?i:'s|'t|'re|'ve|'m|'ll|'d), 0 if it does not match. REQUIRES: text[0] == '\''.
size_t Contraction(std::string_view text) noexcept {
  const Char first = CharAt(text, 1);
  if (first.at_end()) return 0;
  const char32_t a = Lower(first.code_point);
  if (a == U's' || a == U't' || a == U'm' || a == U'd' || a == kLongS) return 1 + first.num_bytes;
  const Char second = CharAt(text, 1 + first.num_bytes);
  if (second.at_end()) return 0;
  const char32_t b = Lower(second.code_point);
  const bool matches =
      (a == U'r' && b == U'e') || (a == U'v' && b == U'e') || (a == U'l' && b == U'l');
  return matches ? 3 : 0;
}

// \s*[\r\n]+|\s+(?!\S)|\s+ on a text that begins with white space. The first alternative gives
// back characters until a newline follows, hence ends after the run's last newline; the second
// leaves the run's last character to what follows, unless nothing follows or the run is that
// character alone.
size_t WhiteSpace(std::string_view text) noexcept {
  size_t end = 0;
  size_t after_last_newline = 0;
  size_t last_char_begin = 0;
  for (Char c = CharAt(text, 0); c.Is(CharClass::kSpace); c = CharAt(text, end)) {
    last_char_begin = end;
    end += c.num_bytes;
    if (c.IsNewline()) after_last_newline = end;
  }
  if (after_last_newline > 0) return after_last_newline;
  if (end == text.size() || last_char_begin == 0) return end;
  return last_char_begin;
}

// [^\s\p{L}\p{N}]+[\r\n]* from `pos` on. REQUIRES: one such character at `pos`.
size_t Symbols(std::string_view text, size_t pos) noexcept {
  pos = RunEnd(text, pos, CharClass::kOther);
  while (CharAt(text, pos).IsNewline()) ++pos;
  return pos;
}

}  // namespace

size_t PreTokenLength(std::string_view text) noexcept {
  OCTAVO_DCHECK(!text.empty());
  const Char first = CharAt(text, 0);
  if (first.code_point == U'\'') {
    if (const size_t length = Contraction(text); length > 0) return length;
  }
  if (first.char_class == CharClass::kLetter) return RunEnd(text, 0, CharClass::kLetter);
  if (first.char_class == CharClass::kNumber) return first.num_bytes;
  // [^\r\n\p{L}\p{N}]?\p{L}+ with its optional character: white space or a symbol.
  const Char second = CharAt(text, first.num_bytes);
  if (second.Is(CharClass::kLetter) && !first.IsNewline()) {
    return RunEnd(text, first.num_bytes, CharClass::kLetter);
  }
  if (first.char_class == CharClass::kOther) return Symbols(text, 0);
  if (first.code_point == U' ' && second.Is(CharClass::kOther)) {
    return Symbols(text, first.num_bytes);
  }
  return WhiteSpace(text);
}

}  // namespace octavo
