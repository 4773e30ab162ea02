// The marks at the beginnings of Markdown's lines: headings, lists, quotes, rules, fences, tables
// of pipes. Marks inside a line are page_text's.
#ifndef OCTAVO_EVALUATE_MARKDOWN_LINES_H_
#define OCTAVO_EVALUATE_MARKDOWN_LINES_H_

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct MarkdownPiece {
  bool is_literal = false;  // from a code fence: no marks in it
  std::string text;         // lines end with a line feed; tables of pipes have become HTML
};

// Without line marks; the lines of display formulas ($$) and of HTML tables stay as they are. A
// number ends a running paragraph only as "1.", as CommonMark has it.
std::vector<MarkdownPiece> RemoveLineMarks(std::string_view markdown);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_MARKDOWN_LINES_H_
