// The end of a PDF that was cut off or overwritten, made anew: poppler rebuilds a lost table of
// objects, but not a lost trailer, a lost tree of pages, or objects inside object streams.
#ifndef OCTAVO_DOCUMENT_PDF_RESCUE_H_
#define OCTAVO_DOCUMENT_PDF_RESCUE_H_

#include <string>
#include <string_view>

namespace octavo {

enum class PdfRescue {
  kOwnCatalog,  // the document's catalog and tree of pages are there: only the trailer is made
  kAllPages,    // a new catalog with every page that was found, in the order of the file
  kMendedKids,  // as kOwnCatalog; what is no reference among the entries of the tree of pages, at
                // which poppler stops, becomes one to an object that is not there
};

// What to append to the bytes so that a reader that rebuilds the table of objects finds the pages;
// "" if there is nothing to make it from, or the document is encrypted. Takes any bytes; needs time
// in proportion to their number (twice as many are inflated at most) and at most 512 MiB beside
// them. The objects in object streams are written out again, 64 MiB at most (only deflate is read).
std::string RescuePdfTail(std::string_view bytes, PdfRescue rescue);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PDF_RESCUE_H_
