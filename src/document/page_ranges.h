// "1-3,7,9-": which pages of a document are asked for.
#ifndef OCTAVO_DOCUMENT_PAGE_RANGES_H_
#define OCTAVO_DOCUMENT_PAGE_RANGES_H_

#include <string>
#include <vector>

namespace octavo {

// From 1, both ends included.
struct PageRange {
  int first = 1;
  int last = 1;  // kToTheEnd: of whatever document
};
inline constexpr int kToTheEnd = 2'147'483'647;

// "" is all pages. Throws kInvalidArgument (syntax, page 0, a range that runs backwards).
std::vector<PageRange> ParsePageRanges(const std::string& ranges);

struct ChosenPages {
  std::vector<int> indices;  // ascending, from 0
  bool lacks_pages = false;  // numbers were asked for that the document does not have
};

// An open end asks for no number. REQUIRES: num_pages >= 0.
ChosenPages ChoosePagesOf(const std::vector<PageRange>& ranges, int num_pages);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PAGE_RANGES_H_
