// Which of the things found on a page are which of the true ones, both in reading order.
#ifndef OCTAVO_EVALUATE_IN_ORDER_MATCH_H_
#define OCTAVO_EVALUATE_IN_ORDER_MATCH_H_

#include <vector>

#include "base/function_ref.h"

namespace octavo {

// The assignment with the greatest sum of scores that keeps the order: for each true thing the
// index of the found one, or -1. `score(found, true)` is 0 or more and asked once for each pair
// that may belong together: those whose places differ by at most 8 more than their counts do. Where
// sums are equal, an earlier found one is taken. Things beyond the first 8192 of each kind stay
// without a partner, which bounds the memory.
std::vector<int> MatchInOrder(int num_found, int num_true, FunctionRef<double(int, int)> score);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_IN_ORDER_MATCH_H_
