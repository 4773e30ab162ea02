// Lines and lengths as Python's str sees them, for the text rules copied from Python packages.
#ifndef OCTAVO_DOCUMENT_TEXT_LINES_H_
#define OCTAVO_DOCUMENT_TEXT_LINES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace octavo {

// str.splitlines(): without the line ends; \r\n is one; U+2028 and the like end lines too.
std::vector<std::string_view> SplitLines(std::string_view text);

// "\n".join of the lines, and a last line feed if `source` ends with one.
std::string JoinLines(const std::vector<std::string>& lines, std::string_view source);

// len(): code points; each invalid byte sequence counts as one.
size_t CountChars(std::string_view text) noexcept;

// re.sub(r"\s+", " ", text).strip().
std::string CollapseSpace(std::string_view text);

// ASCII letters in lower case; all else as it is.
std::string LowerAscii(std::string_view text);

// str.count(word): how often it stands there, without overlap. REQUIRES: !word.empty().
size_t CountOf(std::string_view text, std::string_view word) noexcept;

// Every `from` becomes `to`. REQUIRES: !from.empty().
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_TEXT_LINES_H_
