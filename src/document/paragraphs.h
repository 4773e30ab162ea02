// Read lines to paragraphs, headings and lists, by geometry and by their first and last characters.
#ifndef OCTAVO_DOCUMENT_PARAGRAPHS_H_
#define OCTAVO_DOCUMENT_PARAGRAPHS_H_

#include <string>
#include <vector>

#include "document/whitespace_layout.h"
#include "octavo/document.h"

namespace octavo {

// What was read of a line: a text for each of its cells ("" where nothing was).
using CellTexts = std::vector<std::string>;

// texts: same length as layout.lines. Boxes become fractions of a map of width x height pixels.
//
// A paragraph ends before a larger gap, a change of letter size, an indented line, a list mark, or
// where the line before had room for the next word. Lines are joined with a blank, or without where
// a hyphen parts a word. A row of cells is a paragraph of its own; two rows and more that stand at
// rules are a table. One to three lines in letters a fifth larger than the page's, or one in bold
// with space above, are a title. A number alone at the foot is a page number. Neighbouring
// paragraphs with list marks stand in a "list" container.
std::vector<ContentBlock> GroupParagraphs(const WhitespaceLayout& layout,
                                          const std::vector<CellTexts>& texts, int width,
                                          int height);

// The two texts as one: without the hyphen if `first` ends in letter and hyphen and `second` begins
// with a lower-case letter; without a blank between two CJK characters; else with a blank.
std::string JoinLines(const std::string& first, const std::string& second);

// "- ", "* ", "• ", "1. ", "(a) ", "[12] " and the like at the start.
bool StartsWithListMark(const std::string& text);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PARAGRAPHS_H_
