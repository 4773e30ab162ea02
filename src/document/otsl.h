// OTSL, the table tokens of MinerU's models, to HTML.
#ifndef OCTAVO_DOCUMENT_OTSL_H_
#define OCTAVO_DOCUMENT_OTSL_H_

#include <string>
#include <string_view>

namespace octavo {

enum class OtslRule {
  kKeepText,   // stray text joins the cell before it; an answer that is HTML is trimmed
  kReference,  // as mineru-vl-utils: after stray text or a blank row, later cells lose their text
};

// <fcel> cell, <ecel> empty cell, <lcel> continues left, <ucel> continues above, <xcel> both, <nl>
// ends the row. A whole HTML table is returned as it is. No cells: the empty string. The two rules
// agree on well-formed input. Never throws on what a model wrote.
// Source: mineru-vl-utils 2.0.7, post_process/otsl2html.py, convert_otsl_to_html.
std::string OtslToHtml(std::string_view otsl, OtslRule rule = OtslRule::kKeepText);

// & < > " ' as Python's html.escape writes them.
std::string EscapeHtml(std::string_view text);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_OTSL_H_
