// Base64 (RFC 4648), decoding only.
#ifndef OCTAVO_BASE_BASE64_H_
#define OCTAVO_BASE_BASE64_H_

#include <optional>
#include <string>
#include <string_view>

namespace octavo {

// Bytes that `text` stands for: the standard or the URL alphabet, with or without padding; line
// feeds, carriage returns, tabs and blanks are skipped, as in data URLs that were wrapped.
// nullopt: another character, padding inside, or a last group of one character.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_BASE_BASE64_H_
