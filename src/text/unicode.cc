// Unicode properties and NFC over utf8proc's tables.
//
// utf8proc_map() is not used for NFC: it sorts combining marks by exchanging neighbours, which is
// quadratic in a run of marks, and text comes from strangers.
#include "text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"

namespace octavo {
namespace {

// The longest canonical decomposition of one code point has 4 (U+1F82 and others).
constexpr int kMaxDecomposition = 8;
constexpr char32_t kLastCodePoint = 0x10FFFF;

// Stands one before the first Hangul final. utf8proc 2.8 takes it for a final and drops it behind a
// syllable; it composes with nothing, so composition starts anew at each.
constexpr utf8proc_int32_t kHangulFinalBase = 0x11A7;

CharClass ClassFromTables(char32_t code_point) noexcept {
  if (IsWhiteSpace(code_point)) return CharClass::kSpace;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharClass::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharClass::kNumber;
    default:
      return CharClass::kOther;
  }
}

bool HasCategory(char32_t code_point, utf8proc_category_t category) noexcept {
  return code_point <= kLastCodePoint &&
         utf8proc_category(static_cast<utf8proc_int32_t>(code_point)) == category;
}

std::array<CharClass, 128> MakeAsciiClasses() noexcept {
  std::array<CharClass, 128> classes{};
  for (char32_t c = 0; c < classes.size(); ++c) classes[c] = ClassFromTables(c);
  return classes;
}

int CombiningClass(utf8proc_int32_t code_point) {
  return utf8proc_get_property(code_point)->combining_class;
}

// Canonical decomposition, not yet in canonical order.
std::vector<utf8proc_int32_t> Decompose(std::string_view text) {
  std::vector<utf8proc_int32_t> out;
  out.reserve(text.size());
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    OCTAVO_DCHECK(c.valid);
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
    std::array<utf8proc_int32_t, kMaxDecomposition> parts;
    int boundclass = 0;
    const utf8proc_ssize_t num_parts =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.code_point), parts.data(),
                                parts.size(), UTF8PROC_DECOMPOSE, &boundclass);
    OCTAVO_CHECK(num_parts >= 0 && num_parts <= kMaxDecomposition, num_parts);
    out.insert(out.end(), parts.begin(), parts.begin() + num_parts);
  }
  return out;
}

// Canonical ordering: runs of non-starters, stably by combining class.
void SortMarks(std::vector<utf8proc_int32_t>* code_points) {
  const auto is_starter = [](utf8proc_int32_t c) { return CombiningClass(c) == 0; };
  auto begin = code_points->begin();
  while (true) {
    begin = std::find_if_not(begin, code_points->end(), is_starter);
    if (begin == code_points->end()) return;
    const auto end = std::find_if(begin, code_points->end(), is_starter);
    std::stable_sort(begin, end, [](utf8proc_int32_t a, utf8proc_int32_t b) {
      return CombiningClass(a) < CombiningClass(b);
    });
    begin = end;
  }
}

}  // namespace

bool IsWhiteSpace(char32_t c) noexcept {
  if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0D);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

CharClass ClassOf(char32_t code_point) noexcept {
  static const std::array<CharClass, 128> ascii = MakeAsciiClasses();
  if (code_point < ascii.size()) return ascii[code_point];
  if (code_point > kLastCodePoint) return CharClass::kOther;
  return ClassFromTables(code_point);
}

bool IsInertUnderNfc(char32_t c) noexcept {
  // U+0300 is the first character that NFC can move, compose or replace. The other ranges hold
  // the bulk of Chinese, Japanese and Korean text; nothing in them combines with its neighbour
  // (a Hangul syllable composes only with a jamo, which is in no range).
  if (c < 0x0300) return true;
  return (c >= 0x3400 && c <= 0x9FFF) ||  // unified ideographs
         (c >= 0xAC00 && c <= 0xD7A3) ||  // Hangul syllables
         (c >= 0x3041 && c <= 0x3096) ||  // hiragana without its combining voice marks
         (c >= 0x30A1 && c <= 0x30FA) ||  // katakana
         (c >= 0x3001 && c <= 0x3020) ||  // CJK punctuation
         (c >= 0x0400 && c <= 0x0482) ||  // Cyrillic without its combining marks
         (c >= 0x2010 && c <= 0x2027) ||  // dashes, quotes, ellipsis
         (c >= 0xFF01 && c <= 0xFF60);    // full-width ASCII
}

std::string NormalizeNfc(std::string_view text) {
  size_t inert_bytes = 0;
  while (inert_bytes < text.size()) {
    const DecodedChar c = DecodeUtf8(text.substr(inert_bytes));
    if (!IsInertUnderNfc(c.code_point)) break;
    inert_bytes += static_cast<size_t>(c.num_bytes);
  }
  if (inert_bytes == text.size()) return std::string(text);

  std::vector<utf8proc_int32_t> code_points = Decompose(text);
  SortMarks(&code_points);
  std::string out;
  out.reserve(text.size());
  for (auto begin = code_points.begin(); begin != code_points.end();) {
    const auto end = std::find(begin + 1, code_points.end(), kHangulFinalBase);
    const utf8proc_ssize_t num_composed = utf8proc_normalize_utf32(
        &*begin, end - begin, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    OCTAVO_CHECK(num_composed >= 0, num_composed);
    std::for_each(begin, begin + num_composed,
                  [&out](utf8proc_int32_t c) { AppendUtf8(static_cast<char32_t>(c), &out); });
    begin = end;
  }
  return out;
}

bool IsUppercase(char32_t code_point) noexcept {
  return HasCategory(code_point, UTF8PROC_CATEGORY_LU);
}

bool IsLowercase(char32_t code_point) noexcept {
  return HasCategory(code_point, UTF8PROC_CATEGORY_LL);
}

bool IsDecimalDigit(char32_t code_point) noexcept {
  return HasCategory(code_point, UTF8PROC_CATEGORY_ND);
}

}  // namespace octavo
