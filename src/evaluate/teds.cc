#include "evaluate/teds.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "evaluate/edit_distance.h"
#include "evaluate/tree_edit_distance.h"

namespace octavo {
namespace {

std::vector<int> LeftmostLeaves(const TableTree& tree) {
  std::vector<int> leaves;
  leaves.reserve(tree.nodes.size());
  for (const TableNode& node : tree.nodes) leaves.push_back(node.leftmost);
  return leaves;
}

bool HaveSameShape(const TableNode& a, const TableNode& b) {
  return a.kind == b.kind && a.colspan == b.colspan && a.rowspan == b.rowspan;
}

// Two empty tables are equal.
double Similarity(double distance, const TableTree& a, const TableTree& b) {
  const int num_elements = std::max(a.num_elements, b.num_elements);
  if (num_elements == 0) return 1;
  return 1 - distance / num_elements;
}

}  // namespace

std::optional<Teds> ScoreTable(const TableTree& a, const TableTree& b) {
  if (a.nodes.empty() || b.nodes.empty()) return Teds{};
  const std::vector<int> leaves_a = LeftmostLeaves(a);
  const std::vector<int> leaves_b = LeftmostLeaves(b);
  const auto node_a = [&](int i) -> const TableNode& { return a.nodes[static_cast<size_t>(i)]; };
  const auto node_b = [&](int j) -> const TableNode& { return b.nodes[static_cast<size_t>(j)]; };
  const auto distance = TreeEditDistance(leaves_a, leaves_b, [&](int i, int j) {
    if (!HaveSameShape(node_a(i), node_b(j))) return 1.0;
    return NormalizedEditDistance(node_a(i).content, node_b(j).content);
  });
  if (!distance) return std::nullopt;
  const auto structure = TreeEditDistance(leaves_a, leaves_b, [&](int i, int j) {
    return HaveSameShape(node_a(i), node_b(j)) ? 0.0 : 1.0;
  });
  return Teds{Similarity(*distance, a, b), Similarity(*structure, a, b)};
}

}  // namespace octavo
