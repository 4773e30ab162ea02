// Read lines to paragraphs, headings and lists, by geometry and by their first and last characters.
#ifndef OCTAVO_DOCUMENT_PARAGRAPHS_H_
#define OCTAVO_DOCUMENT_PARAGRAPHS_H_

#include <string>
#include <vector>

#include "document/whitespace_layout.h"
#include "octavo/document.h"

namespace octavo {

// texts: what was read of each line, same length as layout.lines ("" for pictures and lines without
// an answer). Boxes become fractions of a map of width x height pixels.
//
// A paragraph ends before a larger gap, a change of letter size, an indented line, a list mark, or
// where the line before had room for the next word; a row of cells is a paragraph of its own. Lines
// are joined with a blank, or without where a hyphen parts a word. One to three lines in letters a
// fifth larger than the page's, or one in bold with space above, are a title. A number alone at the
// foot is a page number. Neighbouring paragraphs with list marks stand in a "list" container.
std::vector<ContentBlock> GroupParagraphs(const WhitespaceLayout& layout,
                                          const std::vector<std::string>& texts, int width,
                                          int height);

// The two texts as one: without the hyphen if `first` ends in letter and hyphen and `second` begins
// with a lower-case letter; without a blank between two CJK characters; else with a blank.
std::string JoinLines(const std::string& first, const std::string& second);

// "- ", "* ", "• ", "1. ", "(a) ", "[12] " and the like at the start.
bool StartsWithListMark(const std::string& text);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PARAGRAPHS_H_
