// Rows of cells that stand at printed rules, as an HTML table.
#ifndef OCTAVO_DOCUMENT_RULED_TABLES_H_
#define OCTAVO_DOCUMENT_RULED_TABLES_H_

#include <string>
#include <vector>

#include "document/whitespace_layout.h"

namespace octavo {

struct TableRow {
  const LayoutLine* line = nullptr;
  const std::vector<std::string>* texts = nullptr;  // of its cells
};

// "" unless there are at least two rows, two columns, and a rule or frame over most of their width
// in or close to them. Cells whose stretches overlap in any row share a column; two cells of a row
// in one column are joined.
std::string RuledTableHtml(const std::vector<TableRow>& rows, const std::vector<PixelBox>& rules);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_RULED_TABLES_H_
