// Letters told from pictures by their company: they stand in a row with others of their size.
#ifndef OCTAVO_DOCUMENT_LETTER_ROWS_H_
#define OCTAVO_DOCUMENT_LETTER_ROWS_H_

#include <vector>

#include "document/ink_components.h"

namespace octavo {

// For each component, whether it is drawn in strokes as a letter is and stands in a row of at least
// min_count such components of about its height, two of which are as close as letters of a word.
// Rows of filled boxes (the bars of a chart) are none. Components lower than min_height are not
// looked at: theirs is false. The size of page and print does not matter.
std::vector<bool> FindLettersInRows(const std::vector<InkComponent>& components, int min_height,
                                    int min_count);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LETTER_ROWS_H_
