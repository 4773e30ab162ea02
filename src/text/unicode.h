// Unicode properties and NFC for tokenizer and documents; unicode.cc is the only file that includes
// utf8proc.
#ifndef OCTAVO_TEXT_UNICODE_H_
#define OCTAVO_TEXT_UNICODE_H_

#include <string>
#include <string_view>

namespace octavo {

// The partition of all code points that the pre-tokenizer's pattern distinguishes.
enum class CharClass {
  kLetter,  // \p{L}
  kNumber,  // \p{N}
  kSpace,   // \s: the property White_Space
  kOther,   // everything else: marks, punctuation, symbols, controls, unassigned
};

// Any 32-bit value may be asked for; beyond U+10FFFF the answer is kOther.
CharClass ClassOf(char32_t code_point) noexcept;

// The property White_Space (25 code points).
bool IsWhiteSpace(char32_t code_point) noexcept;

// General category Lu, Ll and Nd. Any 32-bit value may be asked for.
bool IsUppercase(char32_t code_point) noexcept;
bool IsLowercase(char32_t code_point) noexcept;
bool IsDecimalDigit(char32_t code_point) noexcept;

// True if a text of such characters only is in NFC whatever their order. Conservative: a false
// answer costs time, no correctness.
bool IsInertUnderNfc(char32_t code_point) noexcept;

// Normalisation form C. Linear in the text but for the sort within one run of combining marks.
// REQUIRES: valid UTF-8.
std::string NormalizeNfc(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_TEXT_UNICODE_H_
