// A model's layout answer to blocks. Tolerant: never throws on what a model wrote.
#ifndef OCTAVO_DOCUMENT_LAYOUT_PARSER_H_
#define OCTAVO_DOCUMENT_LAYOUT_PARSER_H_

#include <string_view>
#include <vector>

#include "octavo/document.h"

namespace octavo {

// The tokens around a block's box and type.
inline constexpr std::string_view kBoxStart = "<|box_start|>";
inline constexpr std::string_view kBoxEnd = "<|box_end|>";
inline constexpr std::string_view kRefStart = "<|ref_start|>";
inline constexpr std::string_view kRefEnd = "<|ref_end|>";

struct LayoutAnswer {
  std::vector<ContentBlock> blocks;  // in reading order; content is absent
  // How well the text followed the grammar.
  int num_starts = 0;      // occurrences of <|box_start|>
  int num_invalid = 0;     // of these, without a valid block: syntax, range, unknown type
  int num_duplicates = 0;  // blocks dropped as near-identical to an earlier one
};

// Scans for <|box_start|>x0 y0 x1 y1<|box_end|><|ref_start|>type<|ref_end|>[<|rotate_…|>]tail with
// coordinates of 0 to 1000. Blocks out of range, empty, or of unknown type are dropped; "unknown"
// becomes "image"; near-identical boxes (IoU over 0.9, same type and angle) keep the first; text
// and formulas that a table covers by 0.9 or more go.
// Source: mineru-vl-utils 2.0.7, MinerUClientHelper.parse_layout_output.
LayoutAnswer ParseLayout(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LAYOUT_PARSER_H_
