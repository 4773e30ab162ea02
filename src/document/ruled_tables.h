// Rows of cells that stand at printed rules or exactly one above another, as an HTML table.
#ifndef OCTAVO_DOCUMENT_RULED_TABLES_H_
#define OCTAVO_DOCUMENT_RULED_TABLES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/whitespace_layout.h"

namespace octavo {

struct TableRow {
  const LayoutLine* line = nullptr;
  const std::vector<std::string>* texts = nullptr;  // of its cells
};

struct FoundTable {
  size_t num_rows = 0;  // of the lines
  PixelBox box;         // with its frame or rules
  std::string html;     // cells that reach over columns have a colspan
};

// The table that begins with the first of `lines` (one column of the page, from top to bottom), or
// nothing. Tables are, the first that fits:
// - what stands in a frame or between rules of one width, if half of the lines have several cells
//   and hardly one reaches over the gap between two columns;
// - lines with several cells with a rule or frame over most of their width in or close to them;
// - three and more lines of cells without rules, whose columns have blank between them.
// Cells whose stretches overlap in any row share a column; two cells of a row in one column are
// joined.
std::optional<FoundTable> FindTable(std::span<const TableRow> lines,
                                    const std::vector<PixelBox>& rules);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_RULED_TABLES_H_
