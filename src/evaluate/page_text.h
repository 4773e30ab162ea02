// What a page of Markdown says: its characters without marks, its tables, its formulas.
#ifndef OCTAVO_EVALUATE_PAGE_TEXT_H_
#define OCTAVO_EVALUATE_PAGE_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

namespace octavo {

struct PageText {
  // All characters in order, tables and formulas among them: NFC, each run of white space one
  // blank, none at the ends.
  std::u32string text;
  std::vector<std::string> tables;    // HTML, "<table" to "</table>"; tables of pipes became HTML
  std::vector<std::string> formulas;  // LaTeX without $ or \( \); those outside tables
};

// Removed as marks: of headings, lists, quotes, rules and fences at the beginnings of lines; pairs
// of
// * _ and ~~ around words; backquotes of code; $ $$ \( \[ of formulas; backslashes before
// punctuation; the targets of links and pictures; HTML tags and comments (a blank where they divide
// blocks or cells, nothing inside a line). Inside tables only tags are marks. Character references
// are decoded. Nothing else changes: no case, no punctuation, no quotes. Invalid UTF-8 becomes
// U+FFFD. Never throws on what it reads; time and memory grow with the length.
PageText ReadPageText(std::string_view markdown);

// NFC; each run of white space one blank; none at the ends.
std::u32string FoldText(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_PAGE_TEXT_H_
