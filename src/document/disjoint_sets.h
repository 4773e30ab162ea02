// Numbers 0, 1, 2 … in sets that are joined step by step.
#ifndef OCTAVO_DOCUMENT_DISJOINT_SETS_H_
#define OCTAVO_DOCUMENT_DISJOINT_SETS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace octavo {

// Union by attachment to the smaller number, with path halving.
class DisjointSets {
 public:
  // A new set of one number, which is returned: the count of those before it.
  int Add() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  // The smallest number of the set that holds `i`.
  int Find(int i) {
    while (At(i) != i) i = At(i) = At(At(i));
    return i;
  }
  void Join(int a, int b) {
    a = Find(a);
    b = Find(b);
    if (a != b) At(std::max(a, b)) = std::min(a, b);
  }

 private:
  int& At(int i) { return parent_[static_cast<size_t>(i)]; }
  std::vector<int> parent_;
};

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_DISJOINT_SETS_H_
