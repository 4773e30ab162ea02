// Words as Markdown: escapes, full-width letters, hyphens at the ends of lines.
// Source: mineru 3.4.5, markdown_utils.py and char_utils.py.
#ifndef OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_
#define OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace octavo {

// A backslash before * _ ` ~ $ unless there is one already.
std::string EscapeMarkdown(std::string_view text);

// A backslash before a leading "# " (up to six #), "+ " or "- ", which would make a block of it;
// up to three blanks or tabs may stand before.
std::string EscapeMarkdownPrefix(std::string text);

// Full-width A-Z a-z 0-9 become ASCII.
std::string FoldFullWidth(std::string_view text);

// All full-width forms of ASCII (U+FF01 to U+FF5E) become ASCII.
std::string FoldFullWidthForms(std::string_view text);

// An ASCII letter and a hyphen (not a dash) at the end, white space behind it or not.
bool EndsWithHyphen(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_MARKDOWN_TEXT_H_
