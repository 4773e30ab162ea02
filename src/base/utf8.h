// UTF-8: decode, validate, find the last complete character, replace what is invalid.
#ifndef OCTAVO_BASE_UTF8_H_
#define OCTAVO_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace octavo {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct DecodedChar {
  char32_t code_point;  // kReplacementCharacter if the bytes are invalid
  int num_bytes;        // 1 to 4; for invalid bytes the maximal subpart (Unicode 15, section 3.9)
  bool valid;
};

// Decodes the character at text[0]. REQUIRES: !text.empty().
DecodedChar DecodeUtf8(std::string_view text) noexcept;

// Appends one code point. REQUIRES: a Unicode scalar value.
void AppendUtf8(char32_t code_point, std::string* out);

bool IsValidUtf8(std::string_view text) noexcept;

// Each invalid maximal subpart becomes U+FFFD, as Python's decode(errors="replace") does.
std::string ReplaceInvalidUtf8(std::string_view text);

// Bytes at the end of `text` (0 to 3) that begin a character which more bytes could complete.
size_t IncompleteSuffixLength(std::string_view text) noexcept;

// A name from outside (tensor, key, file) as messages show it: control characters and invalid bytes
// as \xNN, cut after about max_bytes with "...". One line, valid UTF-8.
std::string PrintableName(std::string_view text, size_t max_bytes = 120);

}  // namespace octavo

#endif  // OCTAVO_BASE_UTF8_H_
