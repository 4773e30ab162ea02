// Levenshtein distance of sequences of code points, exact, in bounded memory.
#ifndef OCTAVO_EVALUATE_EDIT_DISTANCE_H_
#define OCTAVO_EVALUATE_EDIT_DISTANCE_H_

#include <cstdint>
#include <string_view>

namespace octavo {

// The least number of insertions, deletions and substitutions of one value that make `a` of `b`.
// Values need not be Unicode. Memory grows with the sum of the lengths; time with
// length x distance / 64, so that two texts of 100,000 characters which have nothing in common take
// about a second.
// Source: G. Myers, "A fast bit-vector algorithm for approximate string matching" (1999), in the
// block form of H. Hyyro (2003); the band that doubles is E. Ukkonen's (1985).
int64_t EditDistance(std::u32string_view a, std::u32string_view b);

// EditDistance divided by the longer length, 0 to 1; 0 for two empty texts.
double NormalizedEditDistance(std::u32string_view a, std::u32string_view b);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_EDIT_DISTANCE_H_
