// Cells of a table that goes on over a page: the question to the model, and its answer.
#ifndef OCTAVO_DOCUMENT_CELL_MERGE_H_
#define OCTAVO_DOCUMENT_CELL_MERGE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "octavo/document.h"

namespace octavo {

// Asks whether the cells of a page's first row go on those of the last row before it. A request
// without picture.
struct CellMergeQuestion {
  size_t page = 0;   // of the second table, in the order of the pages given
  size_t block = 0;  // on that page
  std::string prompt;
  std::vector<std::pair<int, int>> columns;  // of each cell of the last row: first, behind the last
};

// A question for every table that ends a page and meets one that begins the next, where both have
// content and fit together; captions, headers and the like are looked past.
// Source: mineru-vl-utils 2.0.7, cross_page_table.py.
std::vector<CellMergeQuestion> FindCellMergeQuestions(
    const std::vector<std::vector<ContentBlock>>& pages);

// The first list of noughts and ones in the answer, spread over the columns of its cells; empty if
// there is none of the right length. Any answer is safe.
std::vector<int> ReadCellMergeAnswer(const CellMergeQuestion& question, std::string_view answer);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_CELL_MERGE_H_
