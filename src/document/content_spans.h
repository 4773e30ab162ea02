// The content of a block as spans of text and formulas.
#ifndef OCTAVO_DOCUMENT_CONTENT_SPANS_H_
#define OCTAVO_DOCUMENT_CONTENT_SPANS_H_

#include <string>
#include <string_view>
#include <vector>

#include "document/middle.h"

namespace octavo {

// \[x\] to [x] if there are as many openings as closings; a pair does not cross a line feed.
std::string FlattenBrackets(std::string_view content);

// Text and the insides of \( \), if there are as many openings as closings; blank text between is
// left out. One span of type `text_type` otherwise. Spans have no boxes.
std::vector<MiddleSpan> SplitSpans(std::string_view content, std::string_view text_type);

// A title on one line: line feeds and the white space behind them become a blank.
std::string JoinTitleLines(std::string_view content);

// A formula without its \[ and \].
std::string BareEquation(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CONTENT_SPANS_H_
