#include "document/block.h"

#include <algorithm>
#include <iterator>

namespace octavo {
namespace {

constexpr std::string_view kBlockTypes[] = {
    "text",          "title",          "doc_title", "paragraph_title", "table",
    "equation",      "formula_number", "code",      "algorithm",       "aside_text",
    "ref_text",      "index",          "phonetic",  "list_item",       "table_caption",
    "image_caption", "code_caption",   "caption",   "table_footnote",  "image_footnote",
    "footnote",      "header",         "footer",    "page_number",     "page_footnote",
    "image",         "chart",          "list",      "image_block",     "equation_block",
    "unknown",
};

template <size_t kCount>
bool Contains(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool IsBlockType(std::string_view type) noexcept { return Contains(kBlockTypes, type); }

std::optional<std::string_view> OnlyBlockType(std::string_view begin) noexcept {
  std::optional<std::string_view> only;
  for (const std::string_view type : kBlockTypes) {
    if (!type.starts_with(begin)) continue;
    if (only) return std::nullopt;
    only = type;
  }
  return only;
}

bool IsCaptionType(std::string_view type) noexcept {
  constexpr std::string_view kNames[] = {"image_caption", "table_caption", "code_caption",
                                         "caption"};
  return Contains(kNames, type);
}

bool IsFootnoteType(std::string_view type) noexcept {
  constexpr std::string_view kNames[] = {"image_footnote", "table_footnote", "footnote"};
  return Contains(kNames, type);
}

bool IsDiscardedType(std::string_view type) noexcept {
  constexpr std::string_view kNames[] = {"header", "footer", "page_number", "page_footnote",
                                         "aside_text"};
  return Contains(kNames, type);
}

double Area(const Bbox& box) noexcept {
  return std::max(0.0, box[2] - box[0]) * std::max(0.0, box[3] - box[1]);
}

double CoveredShare(const Bbox& inner, const Bbox& outer) noexcept {
  const double area = Area(inner);
  if (area <= 0) return 0;
  const Bbox common = {std::max(inner[0], outer[0]), std::max(inner[1], outer[1]),
                       std::min(inner[2], outer[2]), std::min(inner[3], outer[3])};
  return Area(common) / area;
}

}  // namespace octavo
