// A page as one line of JSON and back, for journals of unfinished documents.
#ifndef OCTAVO_DOCUMENT_PAGE_JSON_H_
#define OCTAVO_DOCUMENT_PAGE_JSON_H_

#include <string>
#include <string_view>

#include "octavo/document.h"

namespace octavo {

// Without the bytes of the cut-out pictures and without a line feed.
std::string PageToJsonLine(const Page& page);

// Throws kDataLoss (not such a line). `where` names the source in messages.
Page PageFromJsonLine(std::string_view line, std::string_view where);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PAGE_JSON_H_
