// Text beside or under a caption that belongs to it, found by where it stands.
#ifndef OCTAVO_DOCUMENT_CAPTION_FRAGMENTS_H_
#define OCTAVO_DOCUMENT_CAPTION_FRAGMENTS_H_

#include <vector>

#include "document/middle.h"

namespace octavo {

// Turns "text" and "footnote" blocks into "caption" where they stand on the line of a caption above
// a body, between the captions above a table and the table, or at the head of the page with the
// words of a continued table. Bodies are "image_body", "image_block_body", "table_body",
// "chart_body" and "code_body"; blocks are in reading order.
// Source: mineru 3.4.5, visual_magic_model_utils.py, fallback_*.
void PromoteCaptionFragments(std::vector<MiddleBlock>* blocks);

// A picture, table, chart or code block by its type before grouping.
bool IsBodyType(std::string_view type) noexcept;

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CAPTION_FRAGMENTS_H_
