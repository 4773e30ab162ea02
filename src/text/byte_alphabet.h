// The visible characters in which byte-level vocabularies spell the 256 bytes.
#ifndef OCTAVO_TEXT_BYTE_ALPHABET_H_
#define OCTAVO_TEXT_BYTE_ALPHABET_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

// The character of a byte: bytes 33..126, 161..172 and 174..255 are themselves as code points, the
// other 68 are U+0100 + n in ascending order.
// Source: bytes_to_unicode of GPT-2's encoder, ByteLevel of `tokenizers`.
char32_t CharOfByte(uint8_t byte) noexcept;

// Replaces *bytes by the bytes that `spelling` spells; false if it holds another character or is
// no valid UTF-8.
bool BytesOfSpelling(std::string_view spelling, std::string* bytes);

}  // namespace octavo

#endif  // OCTAVO_TEXT_BYTE_ALPHABET_H_
