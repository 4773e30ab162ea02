// Repairs of formulas as models write them: one function per step, and all of them in order.
// Source: mineru-vl-utils 2.0.7, post_process/equation_*.py; each function is named after its file.
#ifndef OCTAVO_DOCUMENT_REPAIR_EQUATION_H_
#define OCTAVO_DOCUMENT_REPAIR_EQUATION_H_

#include <string>
#include <string_view>

namespace octavo {

// Trims; strips one leading \[ and one trailing \].
std::string FixEquationDelimiters(std::string_view latex);

// Deletes _{…}_{…}.
std::string FixDoubleSubscript(std::string_view latex);

// \eqqcolon to =: and \coloneqq to :=.
std::string FixColonRelations(std::string_view latex);

// \big{(} to \big( and so on for all sizes and delimiters; \bigtimes to \times.
std::string FixBigDelimiters(std::string_view latex);

// A blank after every "<".
std::string SpaceAfterLess(std::string_view latex);

// Deletes unescaped braces without partner.
std::string FixUnbalancedBraces(std::string_view latex);

// All steps, in the reference's order, without the closing wrap.
std::string RepairEquation(std::string_view latex);

// Trims and puts \[ and \] on lines of their own around it, unless it has them. Blank stays empty.
std::string WrapEquation(std::string_view latex);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_REPAIR_EQUATION_H_
