// Rows of a table on its grid: which columns they fill, and whether two tables fit together.
// Source: mineru 3.4.5, utils/table_merge.py.
#ifndef OCTAVO_DOCUMENT_TABLE_ROWS_H_
#define OCTAVO_DOCUMENT_TABLE_ROWS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "document/block.h"
#include "document/html_tree.h"

namespace octavo {

// Columns beyond are not counted; cells that would span more are cut.
inline constexpr int kMaxTableColumns = 1000;
inline constexpr int kMaxTableRowSpan = 10'000;

struct RowColumns {
  size_t row = 0;
  int effective = 0;  // up to the last filled column
  int actual = 0;     // sum of the row's own colspans
};

// A cell as it shows in a row: its own or one that reaches down from above.
struct RowSegment {
  std::string text;
  int begin = 0;  // columns
  int end = 0;
};

// <td> and <th> of a row.
std::vector<HtmlNode*> CellsOf(HtmlNode& row);

class TableRows {
 public:
  // All <tr> of the tree, which outlives this.
  explicit TableRows(HtmlNode& tree);

  const std::vector<HtmlNode*>& rows() const { return rows_; }
  int num_columns() const { return num_columns_; }
  const std::vector<RowColumns>& columns() const { return columns_; }

  // The last row that has cells.
  std::optional<RowColumns> LastRow() const;
  std::vector<RowSegment> SegmentsOf(size_t row) const;

 private:
  // Where the cell that fills a place comes from.
  struct Source {
    int row = -1;  // -1: nothing is there
    int cell = 0;  // its number in that row
    bool operator==(const Source&) const = default;
  };
  struct Reach {
    int until = 0;  // the first row that is free again
    Source source;
  };

  std::vector<HtmlNode*> rows_;
  int num_columns_ = 0;
  std::vector<RowColumns> columns_;
  std::vector<std::vector<Source>> sources_;  // by row and column
};

// How many rows the second table repeats from the beginning of the first; at most five.
size_t CountRepeatedHeaders(const TableRows& first, const TableRows& second);

// The count extended to rows that cells of the counted ones reach into.
size_t ExtendHeadersBySpans(const TableRows& table, size_t count);

// True if the second table may go on the first: widths within a tenth of one another (where both
// boxes have one), and as many columns or rows at the boundary that match.
bool FitTogether(const TableRows& first, const Bbox& first_box, const TableRows& second,
                 const Bbox& second_box);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_TABLE_ROWS_H_
