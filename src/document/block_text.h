// The words of a block of the middle form: as Markdown, and as spans.
// Source: mineru 3.4.5, vlm_middle_json_mkcontent.py.
#ifndef OCTAVO_DOCUMENT_BLOCK_TEXT_H_
#define OCTAVO_DOCUMENT_BLOCK_TEXT_H_

#include <string>
#include <vector>

#include "document/middle.h"

namespace octavo {

// Spans and lines joined: with a blank in Western text, without one at the ends of Chinese,
// Japanese and Korean lines; a hyphen at the end of a line goes where the next begins with a small
// letter. Text is trimmed and escaped (code is not), formulas are in dollars. Text blocks whose
// words would begin a heading or list are escaped there too, if `escapes_prefix`.
std::string BlockText(const MiddleBlock& block, bool escapes_prefix = true);

// A piece of content_list_v2.json.
struct TextPiece {
  std::string type;  // "text", "phonetic", "equation_inline"
  std::string content;
  bool operator==(const TextPiece&) const = default;
};
// The same joins, without escapes; neighbouring pieces of text are one.
std::vector<TextPiece> BlockPieces(const MiddleBlock& block);

// An algorithm as <div class="mineru-algorithm" …> with escaped text and $formulas$; empty if
// blank.
std::string AlgorithmHtml(const MiddleBlock& body);

// Code between ``` lines; the fence is longer than any run of back quotes inside, unless `rule` is
// the reference's.
std::string FencedCode(const MiddleBlock& body, const std::string& language, MiddleRule rule);

// Table HTML with " $x$ " for <eq>x</eq> and the folder of pictures before relative src.
std::string TableMarkup(const std::string& html, const std::string& image_prefix);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_BLOCK_TEXT_H_
