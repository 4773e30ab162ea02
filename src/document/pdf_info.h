// What poppler's pdfinfo says about a PDF, from its output, in which the document's own words
// (title, author) stand first and as they are: they are not taken for pdfinfo's.
#ifndef OCTAVO_DOCUMENT_PDF_INFO_H_
#define OCTAVO_DOCUMENT_PDF_INFO_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace octavo {

struct PdfPageSize {
  double width_pt = 0;  // of the crop box, as it is shown
  double height_pt = 0;
};

// The number behind "Pages:"; 0 if absent.
int64_t PagesOfPdfInfo(std::string_view output);

// True for a form whose pages are made by a program inside it (XFA), which poppler does not run.
bool HasXfaForm(std::string_view output);

// The size of page `number` (from 1); nothing if absent or not above zero.
std::optional<PdfPageSize> PageSizeOfPdfInfo(std::string_view output, int number);

// Where a page is that the document counts as its `number`-th (from 1). poppler leaves out entries
// of the page tree that are no pages, says so in `errors`, and counts on without them.
struct PdfPagePlace {
  bool is_damaged = false;  // one of those entries
  int poppler_number = 0;   // otherwise
};
PdfPagePlace PlaceOfPage(std::string_view errors, int number);

// True if `errors` tells of such an entry.
bool LeavesOutPages(std::string_view errors);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PDF_INFO_H_
