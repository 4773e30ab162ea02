// Lines that no blank row parts: letters chained from left to right.
#ifndef OCTAVO_DOCUMENT_LINE_CHAINS_H_
#define OCTAVO_DOCUMENT_LINE_CHAINS_H_

#include <vector>

#include "document/ink_items.h"

namespace octavo {

// The letters of each line, from top to bottom. A letter goes to the line whose last letter stands
// beside it; dots, commas and accents to the nearest letter's. Works on skewed lines and on lines
// whose ascenders and descenders touch. `unit`: usual height of a letter.
// REQUIRES: no pictures among the letters.
std::vector<InkItems> ChainLetters(InkItems letters, int unit);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LINE_CHAINS_H_
