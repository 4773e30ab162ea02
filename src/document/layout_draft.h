// What a layout answer goes on with where its grammar leaves no choice, for drafts.
#ifndef OCTAVO_DOCUMENT_LAYOUT_DRAFT_H_
#define OCTAVO_DOCUMENT_LAYOUT_DRAFT_H_

#include <string>
#include <string_view>

namespace octavo {

// The spaces between three-digit numbers; what stands between box and type; the rest of a type's
// name once it can be only one, then the sign for upright and the begin of the next block, which
// are not certain but likely. "" where the answer has a choice, or is not in the grammar
// (layout_parser.h). Looks at the last block only. Any thread.
std::string ForcedLayoutText(std::string_view answer);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LAYOUT_DRAFT_H_
