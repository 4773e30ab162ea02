// Characters and words of Mermaid flow charts as the rules copied from mineru-vl-utils see them.
#ifndef OCTAVO_DOCUMENT_MERMAID_TEXT_H_
#define OCTAVO_DOCUMENT_MERMAID_TEXT_H_

#include <cstddef>
#include <string_view>

namespace octavo {

inline constexpr std::string_view kMermaidArrow = "-->";

// Length in bytes of the run of [A-Za-z0-9_\u4e00-\u9fa5-] that `text` begins with.
size_t MermaidNameLength(std::string_view text) noexcept;

// Length in bytes of the white space that `text` begins with.
size_t SpaceLength(std::string_view text) noexcept;

// Length of the [A-Za-z_][A-Za-z0-9_]* that `text` begins with; 0 if none.
size_t IdentifierLength(std::string_view text) noexcept;

// Nothing but an identifier.
inline bool IsIdentifier(std::string_view text) noexcept {
  return !text.empty() && IdentifierLength(text) == text.size();
}

// <--> with white space between: length of the arrow that `text` begins with, or 0.
size_t DoubleArrowLength(std::string_view text) noexcept;

bool HasDoubleArrow(std::string_view text) noexcept;

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MERMAID_TEXT_H_
