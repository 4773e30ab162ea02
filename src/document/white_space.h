// White space as Python's str methods see it, for the text rules copied from Python packages.
#ifndef OCTAVO_DOCUMENT_WHITE_SPACE_H_
#define OCTAVO_DOCUMENT_WHITE_SPACE_H_

#include <string_view>

namespace octavo {

// str.isspace of one character: Unicode White_Space plus U+001C to U+001F.
bool IsSpace(char32_t c) noexcept;

// str.strip(). Invalid UTF-8 is no white space.
std::string_view TrimSpace(std::string_view text) noexcept;

// True if nothing but white space.
inline bool IsBlank(std::string_view text) noexcept { return TrimSpace(text).empty(); }

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_WHITE_SPACE_H_
