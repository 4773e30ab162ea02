#include "evaluate/in_order_match.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace octavo {
namespace {

// Places that a match may be out of step, beyond the difference of the counts. Bounds the number
// of scores in long documents.
constexpr int kMaxShift = 8;
constexpr int kMaxThings = 8192;

enum class Step : uint8_t { kSkipFound, kSkipTrue, kMatch };

}  // namespace

std::vector<int> MatchInOrder(int num_found, int num_true, FunctionRef<double(int, int)> score) {
  std::vector<int> matches(static_cast<size_t>(std::max(num_true, 0)), -1);
  if (num_found <= 0 || num_true <= 0) return matches;
  num_found = std::min(num_found, kMaxThings);
  num_true = std::min(num_true, kMaxThings);
  // A row for each true thing; only the sums of the row before are needed, and all steps.
  const auto width = static_cast<size_t>(num_found) + 1;
  std::vector<double> above(width, 0);
  std::vector<double> sums(width, 0);
  std::vector<Step> steps(width * static_cast<size_t>(num_true), Step::kSkipFound);
  const int reach = std::abs(num_found - num_true) + kMaxShift;
  for (int j = 0; j < num_true; ++j) {
    Step* const row = &steps[width * static_cast<size_t>(j)];
    sums[0] = above[0];
    row[0] = Step::kSkipTrue;
    for (int i = 0; i < num_found; ++i) {
      const auto at = static_cast<size_t>(i);
      sums[at + 1] = sums[at];
      row[at + 1] = Step::kSkipFound;
      if (above[at + 1] > sums[at + 1]) {
        sums[at + 1] = above[at + 1];
        row[at + 1] = Step::kSkipTrue;
      }
      if (std::abs(i - j) > reach) continue;
      const double matched = above[at] + score(i, j);
      if (matched > sums[at + 1]) {
        sums[at + 1] = matched;
        row[at + 1] = Step::kMatch;
      }
    }
    above.swap(sums);
  }
  for (int i = num_found, j = num_true; i > 0 && j > 0;) {
    switch (steps[width * static_cast<size_t>(j - 1) + static_cast<size_t>(i)]) {
      case Step::kSkipFound:
        --i;
        break;
      case Step::kSkipTrue:
        --j;
        break;
      case Step::kMatch:
        matches[static_cast<size_t>(--j)] = --i;
        break;
    }
  }
  return matches;
}

}  // namespace octavo
