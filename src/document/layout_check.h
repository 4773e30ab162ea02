// Is a model's layout answer worth following?
#ifndef OCTAVO_DOCUMENT_LAYOUT_CHECK_H_
#define OCTAVO_DOCUMENT_LAYOUT_CHECK_H_

#include <string>

#include "document/ink_components.h"
#include "document/ink_map.h"
#include "document/layout_parser.h"
#include "octavo/engine.h"

namespace octavo {

// What is wrong with the answer, in a few words, or "" if it can be used: it did not end; it has no
// block; most of it breaks the grammar; most of it is repetition; its blocks leave most of the
// print out. No block is right for a page without print.
std::string FindLayoutProblem(const LayoutAnswer& answer, FinishReason finish, const InkMap& map,
                              const PageInk& ink);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_LAYOUT_CHECK_H_
