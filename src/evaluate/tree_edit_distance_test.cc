#include "evaluate/tree_edit_distance.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"

namespace octavo {
namespace {

// "f(d(a c(b)) e)": labels in postorder with their leftmost leaves.
struct Tree {
  std::string labels;
  std::vector<int> leftmost;
};

int ReadNode(const std::string& text, size_t* at, Tree* tree) {
  const char label = text[(*at)++];
  int leftmost = -1;
  if (*at < text.size() && text[*at] == '(') {
    ++*at;
    while (text[*at] != ')') {
      if (text[*at] == ' ') {
        ++*at;
        continue;
      }
      const int first = ReadNode(text, at, tree);
      if (leftmost < 0) leftmost = first;
    }
    ++*at;
  }
  if (leftmost < 0) leftmost = static_cast<int>(tree->labels.size());
  tree->labels += label;
  tree->leftmost.push_back(leftmost);
  return leftmost;
}

Tree ReadTree(const std::string& text) {
  Tree tree;
  size_t at = 0;
  ReadNode(text, &at, &tree);
  return tree;
}

double RenameCost(char a, char b) {
  if (a == b) return 0;
  return (a - b) % 2 == 0 ? 0.25 : 1;
}

double Distance(const Tree& a, const Tree& b) {
  return TreeEditDistance(a.leftmost, b.leftmost,
                          [&](int i, int j) {
                            return RenameCost(a.labels[static_cast<size_t>(i)],
                                              b.labels[static_cast<size_t>(j)]);
                          })
      .value();
}

// The recursion on forests that defines the distance, remembered by their ends.
class Definition {
 public:
  Definition(const Tree& a, const Tree& b) : a_(a), b_(b) {}
  double Distance() {
    return Forests(0, static_cast<int>(a_.labels.size()), 0, static_cast<int>(b_.labels.size()));
  }

 private:
  // Nodes [a0, a1) and [b0, b1) in postorder.
  double Forests(int a0, int a1, int b0, int b1) {
    if (a0 == a1) return b1 - b0;
    if (b0 == b1) return a1 - a0;
    const auto key = std::pair(std::pair(a0, a1), std::pair(b0, b1));
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    const int i = a1 - 1;
    const int j = b1 - 1;
    const int left_a = std::max(a_.leftmost[static_cast<size_t>(i)], a0);
    const int left_b = std::max(b_.leftmost[static_cast<size_t>(j)], b0);
    const double matched =
        Forests(a0, left_a, b0, left_b) + Forests(left_a, i, left_b, j) +
        RenameCost(a_.labels[static_cast<size_t>(i)], b_.labels[static_cast<size_t>(j)]);
    const double best = std::min({Forests(a0, i, b0, b1) + 1, Forests(a0, a1, b0, j) + 1, matched});
    known_[key] = best;
    return best;
  }

  const Tree& a_;
  const Tree& b_;
  std::map<std::pair<std::pair<int, int>, std::pair<int, int>>, double> known_;
};

std::string RandomTree(Random& random, int depth) {
  std::string out(1, static_cast<char>('a' + random.Below(4)));
  const uint64_t num_children = depth > 0 ? random.Below(4) : 0;
  if (num_children == 0) return out;
  out += '(';
  for (uint64_t i = 0; i < num_children; ++i) out += RandomTree(random, depth - 1);
  return out + ')';
}

TEST(TreeEditDistance, CountsTheExampleOfThePaper) {
  const Tree a = ReadTree("f(d(a c(b)) e)");
  const Tree b = ReadTree("f(c(d(a b)) e)");
  EXPECT_EQ(TreeEditDistance(a.leftmost, b.leftmost,
                             [&](int i, int j) {
                               return a.labels[static_cast<size_t>(i)] ==
                                              b.labels[static_cast<size_t>(j)]
                                          ? 0.0
                                          : 1.0;
                             }),
            2);
}

TEST(TreeEditDistance, MatchesTheDefinitionOnRandomTrees) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const Tree a = ReadTree(RandomTree(random, 3));
    const Tree b = ReadTree(RandomTree(random, 3));
    ASSERT_DOUBLE_EQ(Distance(a, b), Definition(a, b).Distance()) << a.labels << " " << b.labels;
  }
}

TEST(TreeEditDistance, CountsNodesAgainstNothing) {
  const Tree a = ReadTree("a(b c)");
  const auto never = [](int, int) { return 0.0; };
  EXPECT_EQ(TreeEditDistance(a.leftmost, {}, never), 3);
  EXPECT_EQ(TreeEditDistance({}, {}, never), 0);
}

TEST(TreeEditDistance, RefusesWhatHasNoBound) {
  std::vector<int> flat(5000);
  for (size_t i = 0; i + 1 < flat.size(); ++i) flat[i] = static_cast<int>(i);
  flat.back() = 0;
  EXPECT_EQ(TreeEditDistance(flat, flat, [](int, int) { return 0.0; }), std::nullopt);
}

}  // namespace
}  // namespace octavo
