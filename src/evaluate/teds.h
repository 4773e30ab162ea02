// TEDS, the similarity of tables by the edit distance of their trees.
#ifndef OCTAVO_EVALUATE_TEDS_H_
#define OCTAVO_EVALUATE_TEDS_H_

#include <optional>

#include "evaluate/table_tree.h"

namespace octavo {

struct Teds {
  double all = 0;        // text and structure, 0 to 1
  double structure = 0;  // as if every cell had no text (TEDS-S)
};

// 1 - distance / max(elements of the two tables). Making one node into another costs 1 where kind,
// colspan or rowspan differ, for cells else the normalised edit distance of their contents. A tree
// without nodes is worth 0. Nothing for tables too large to be compared (tree_edit_distance.h).
// Source: Zhong, ShafieiBavani, Jimeno Yepes, "Image-based table recognition" (2020); PubTabNet,
// src/metric.py. What table_tree.h leaves out of HTML is left out first.
std::optional<Teds> ScoreTable(const TableTree& predicted, const TableTree& truth);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_TEDS_H_
