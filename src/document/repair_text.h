// Repairs of running text and of formulas in tables.
#ifndef OCTAVO_DOCUMENT_REPAIR_TEXT_H_
#define OCTAVO_DOCUMENT_REPAIR_TEXT_H_

#include <string>
#include <string_view>

namespace octavo {

// Display to inline formulas (but not citations such as \[12, 13\]); a blank between a relation
// macro and the letter it swallowed (\timesb); runs of three and more underscores out of inline
// formulas. Source: mineru-vl-utils 2.0.7, post_process/text_*.py.
std::string RepairText(std::string_view text);

// \(x\) and \[x\] outside <eq> to <eq>x</eq>, trimmed.
// Source: mineru-vl-utils 2.0.7, post_process, table formula wrap.
std::string WrapTableFormulas(std::string_view html);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_REPAIR_TEXT_H_
