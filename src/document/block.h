// Block types and box geometry of a page. Names and thresholds are MinerU's.
#ifndef OCTAVO_DOCUMENT_BLOCK_H_
#define OCTAVO_DOCUMENT_BLOCK_H_

#include <array>
#include <optional>
#include <string_view>

namespace octavo {

// x0, y0, x1, y1; any unit, the same in both arguments.
using Bbox = std::array<double, 4>;

// Types that a layout answer may name. Lower case.
// Source: mineru-vl-utils 2.0.7, structs.py.
bool IsBlockType(std::string_view type) noexcept;
// The only such type that begins with `begin`; nullopt: none, or several.
std::optional<std::string_view> OnlyBlockType(std::string_view begin) noexcept;

// Captions and footnotes, of a named kind or of none.
bool IsCaptionType(std::string_view type) noexcept;
bool IsFootnoteType(std::string_view type) noexcept;

// Header, footer, page number, page footnote and aside text: kept in JSON, not in Markdown.
bool IsDiscardedType(std::string_view type) noexcept;

double Area(const Bbox& box) noexcept;

// Share of `inner`'s own area that lies in `outer`, 0 to 1; 0 if inner has no area.
double CoveredShare(const Bbox& inner, const Bbox& outer) noexcept;

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_BLOCK_H_
