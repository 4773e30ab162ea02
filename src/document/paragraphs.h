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
// a hyphen parts a word. A row of cells is a paragraph of its own, unless the line is only spread
// to the width of its column. Tables are FindTable's, display formulas CountFormulaLines': blocks
// without content, for what was read of them is nonsense. One to three lines in letters a fifth
// larger than the page's, or one in bold with space above, are a title. A number alone at the foot
// is a page number. Paragraphs with list marks stand in "list" containers (lists.h), captions are
// found by their words (captions.h).
std::vector<ContentBlock> GroupParagraphs(const WhitespaceLayout& layout,
                                          const std::vector<CellTexts>& texts, int width,
                                          int height);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PARAGRAPHS_H_
