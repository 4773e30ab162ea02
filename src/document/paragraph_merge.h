// Paragraphs that go on in the next column, and reference lists that go on over a page.
#ifndef OCTAVO_DOCUMENT_PARAGRAPH_MERGE_H_
#define OCTAVO_DOCUMENT_PARAGRAPH_MERGE_H_

#include <vector>

#include "document/middle.h"

namespace octavo {

// Joins, in para_blocks, a text marked merge_prev to the text before it on the page if nothing but
// pictures, tables, charts and code lies between and words and boxes let it; and a list of
// references to such a list directly before it, over pages too. What was joined stays as an emptied
// block. Source: mineru 3.4.5, para_block_utils.py, merge_para_text_blocks.
void MergeParagraphs(std::vector<MiddlePage>* pages);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PARAGRAPH_MERGE_H_
