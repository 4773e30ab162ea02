// An HTML table as the tree that TEDS compares: the table, its rows, their cells.
#ifndef OCTAVO_EVALUATE_TABLE_TREE_H_
#define OCTAVO_EVALUATE_TABLE_TREE_H_

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct TableNode {
  enum class Kind { kTable, kRow, kCell };
  Kind kind = Kind::kCell;
  int colspan = 1;  // cells
  int rowspan = 1;
  // Cells: the text, NFC and white space folded, and each tag inside the cell as one value beyond
  // Unicode.
  std::u32string content = {};
  int leftmost = 0;  // index of the leftmost leaf below this node; the node itself if it is a leaf
};

struct TableTree {
  std::vector<TableNode> nodes;  // in postorder: children before parents, the table last
  // Elements below the table, those inside cells too: what TEDS divides by.
  int num_elements = 0;
};

// Tolerant as browsers are: a cell or row ends where the next begins; what stands outside cells is
// left out. th counts as td, and thead, tbody and tfoot as nothing, so that tables of different
// writers compare. A text without a table gives no nodes. At most 100,000 elements are read.
// Source of the form: PubTabNet, src/metric.py, TEDS.load_html_tree and tokenize.
TableTree ReadTableTree(std::string_view html);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_TABLE_TREE_H_
