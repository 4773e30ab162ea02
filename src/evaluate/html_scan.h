// Tags and entities of the HTML that stands in Markdown. Tolerant: what is no tag is text.
#ifndef OCTAVO_EVALUATE_HTML_SCAN_H_
#define OCTAVO_EVALUATE_HTML_SCAN_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace octavo {

struct HtmlTag {
  std::string name;             // lower case; "!" for comments and declarations
  bool is_closing = false;      // </name>
  std::string_view attributes;  // between the name and the ">"
  size_t num_bytes = 0;         // of the whole tag
};

// The tag that begins at text[at], or nothing: "<" in running text, or no ">" within 4096 bytes.
// What stands between name and ">" may be anything, as readers of HTML take it.
// REQUIRES: at < text.size().
std::optional<HtmlTag> ReadHtmlTag(std::string_view text, size_t at);

// The same in Markdown, outside of HTML: what CommonMark takes for no tag is text ("<stdio.h>",
// "<b and c, d>", "<td a=1b=2>").
std::optional<HtmlTag> ReadInlineHtmlTag(std::string_view text, size_t at);

// True for elements inside a line of text (b, sub, span …): they separate no words.
bool IsInlineElement(std::string_view name);

// The character reference at text[at] ("&amp;", "&#8211;"): appends what it stands for and returns
// its bytes; 0 if there is none. REQUIRES: at < text.size().
size_t DecodeEntity(std::string_view text, size_t at, std::string* out);

// The text with all character references decoded.
std::string DecodeEntities(std::string_view text);

// & and < as references, so that the text can stand in HTML.
std::string EscapeForHtml(std::string_view text);

// Value of colspan or rowspan: 1 if absent or unreadable, at most 1000, as browsers cut it.
int SpanOf(std::string_view attributes, std::string_view name);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_HTML_SCAN_H_
