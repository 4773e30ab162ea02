// Edit distance of ordered trees with costs of one for a node taken out or put in.
#ifndef OCTAVO_EVALUATE_TREE_EDIT_DISTANCE_H_
#define OCTAVO_EVALUATE_TREE_EDIT_DISTANCE_H_

#include <cstddef>
#include <optional>
#include <span>

#include "base/function_ref.h"

namespace octavo {

// Two trees of up to this product of nodes are compared; beyond, memory and time have no measure.
inline constexpr size_t kMaxTreeProduct = size_t{8} << 20;

// A tree is given by the index of the leftmost leaf below each node, nodes in postorder.
// `rename(i, j)` is the cost, 0 to 1, of making node i of `a` into node j of `b`; it is asked once
// for each pair. The root may be deleted as any other node. Nothing if the product of the sizes is
// over kMaxTreeProduct; 8 bytes x twice the product of memory.
// Source: K. Zhang, D. Shasha, "Simple fast algorithms for the editing distance between trees and
// related problems" (1989).
std::optional<double> TreeEditDistance(std::span<const int> a, std::span<const int> b,
                                       FunctionRef<double(int, int)> rename);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_TREE_EDIT_DISTANCE_H_
