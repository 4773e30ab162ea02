#include "evaluate/tree_edit_distance.h"

#include <algorithm>
#include <vector>

namespace octavo {
namespace {

// Nodes whose leftmost leaf is no earlier node's of higher rank: the roots of the subtrees that are
// compared, ascending.
std::vector<int> KeyRoots(std::span<const int> leftmost) {
  std::vector<int> roots;
  std::vector<bool> seen(leftmost.size(), false);
  for (size_t i = leftmost.size(); i-- > 0;) {
    const auto leaf = static_cast<size_t>(leftmost[i]);
    if (seen[leaf]) continue;
    seen[leaf] = true;
    roots.push_back(static_cast<int>(i));
  }
  std::reverse(roots.begin(), roots.end());
  return roots;
}

class Comparison {
 public:
  Comparison(std::span<const int> a, std::span<const int> b, FunctionRef<double(int, int)> rename)
      : a_(a),
        b_(b),
        rename_(rename),
        stride_(b.size() + 1),
        subtrees_(a.size() * b.size()),
        forests_((a.size() + 1) * stride_) {}

  double Distance() {
    for (const int i : KeyRoots(a_)) {
      for (const int j : KeyRootsOfB()) CompareSubtrees(i, j);
    }
    return subtrees_.back();
  }

 private:
  const std::vector<int>& KeyRootsOfB() {
    if (roots_of_b_.empty()) roots_of_b_ = KeyRoots(b_);
    return roots_of_b_;
  }
  int LeftmostOfA(int i) const { return a_[static_cast<size_t>(i)]; }
  int LeftmostOfB(int j) const { return b_[static_cast<size_t>(j)]; }
  double& Subtrees(int i, int j) {
    return subtrees_[static_cast<size_t>(i) * b_.size() + static_cast<size_t>(j)];
  }
  // Distance of the forests before node i of `a` and before node j of `b`, from the leftmost leaves
  // of the two subtrees at hand on.
  double& Forests(int i, int j) {
    return forests_[static_cast<size_t>(i) * stride_ + static_cast<size_t>(j)];
  }

  void CompareSubtrees(int root_a, int root_b) {
    const int first_a = LeftmostOfA(root_a);
    const int first_b = LeftmostOfB(root_b);
    Forests(first_a, first_b) = 0;
    for (int i = first_a; i <= root_a; ++i) Forests(i + 1, first_b) = Forests(i, first_b) + 1;
    for (int j = first_b; j <= root_b; ++j) Forests(first_a, j + 1) = Forests(first_a, j) + 1;
    for (int i = first_a; i <= root_a; ++i) {
      const int left_a = LeftmostOfA(i);
      for (int j = first_b; j <= root_b; ++j) {
        const int left_b = LeftmostOfB(j);
        double best = std::min(Forests(i, j + 1), Forests(i + 1, j)) + 1;
        if (left_a == first_a && left_b == first_b) {
          best = std::min(best, Forests(i, j) + rename_(i, j));
          Subtrees(i, j) = best;
        } else {
          best = std::min(best, Forests(left_a, left_b) + Subtrees(i, j));
        }
        Forests(i + 1, j + 1) = best;
      }
    }
  }

  const std::span<const int> a_;
  const std::span<const int> b_;
  const FunctionRef<double(int, int)> rename_;
  const size_t stride_;
  std::vector<int> roots_of_b_;
  std::vector<double> subtrees_;
  std::vector<double> forests_;
};

}  // namespace

std::optional<double> TreeEditDistance(std::span<const int> a, std::span<const int> b,
                                       FunctionRef<double(int, int)> rename) {
  if (a.empty() || b.empty()) return static_cast<double>(std::max(a.size(), b.size()));
  if (b.size() > kMaxTreeProduct / a.size()) return std::nullopt;
  return Comparison(a, b, rename).Distance();
}

}  // namespace octavo
