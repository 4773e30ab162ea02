// Running text as Markdown: formulas, escapes, full-width letters.
#ifndef OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_
#define OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace octavo {

// \(x\) to $x$ where they balance, \[1\] to [1] where these do; outside formulas * _ ` ~ $ are
// escaped unless they are already and full-width A-Z a-z 0-9 become ASCII. Trimmed.
// Source: mineru 3.4.5, vlm_magic_model.py and markdown_utils.py.
std::string MarkdownText(std::string_view content);

// The same on one line.
std::string MarkdownTitle(std::string_view content);

// A backslash before a leading "# " (up to six), "+ " or "- ", which would make a block of it.
std::string EscapeMarkdownPrefix(std::string text);

// The formula between lines with $$, without its \[ \].
std::string MarkdownEquation(std::string_view content);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_
