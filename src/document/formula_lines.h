// Display formulas among read lines: what they look like when their characters make no words.
#ifndef OCTAVO_DOCUMENT_FORMULA_LINES_H_
#define OCTAVO_DOCUMENT_FORMULA_LINES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "document/layout_line.h"

namespace octavo {

// Limits, numerators and what else stands above one another.
inline constexpr size_t kMaxFormulaLines = 10;

struct FormulaLine {
  const LayoutLine* line = nullptr;  // no picture
  std::string_view text;             // as it was read, perhaps nonsense
};

// Where the lines stand.
struct FormulaPlace {
  int x0 = 0;  // of the column
  int x1 = 0;
  int above = 0;             // bottom of what stands above
  double letter_height = 0;  // of the text
};

// How many of the first of `lines` (one column, from top to bottom) are one display formula; 0: it
// is none. A formula stands apart from what is below, and above unless it was read as LaTeX; hardly
// any of its characters are of words; it has raised or lowered letters, fractions, large signs or
// parts above one another, and is indented from both sides or has a sign of relation. Commands of
// LaTeX are signs: a model that knows formulas may write them where it was asked for a line of
// text. Less is not enough: what is no text is not read as text.
size_t CountFormulaLines(const std::vector<FormulaLine>& lines, const FormulaPlace& place);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_FORMULA_LINES_H_
