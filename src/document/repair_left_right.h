// \left and \right that have no partner get an invisible one.
#ifndef OCTAVO_DOCUMENT_REPAIR_LEFT_RIGHT_H_
#define OCTAVO_DOCUMENT_REPAIR_LEFT_RIGHT_H_

#include <string>
#include <string_view>

namespace octavo {

// Where \left and \right do not balance, adds "\right." after a left and "\left." before a right
// one that has no partner in its array cell. Formulas that balance are left alone.
// Source: mineru-vl-utils 2.0.7, post_process/equation_left_right.py.
std::string MatchLeftRight(std::string_view latex);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_REPAIR_LEFT_RIGHT_H_
