// Lines of a paragraph put together.
#ifndef OCTAVO_DOCUMENT_JOIN_LINES_H_
#define OCTAVO_DOCUMENT_JOIN_LINES_H_

#include <string>

namespace octavo {

// The two texts as one: without the hyphen if `first` ends in letter and hyphen and `second` begins
// with a lower-case letter; without a blank between two CJK characters; else with a blank.
std::string JoinLines(const std::string& first, const std::string& second);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_JOIN_LINES_H_
