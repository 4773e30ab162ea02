// Hostile bytes to what octavo itself reads of PDFs: the search for objects when poppler gives up
// and for cut pictures, and the words of pdfinfo and pdfimages. Nothing is thrown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "document/pdf_info.h"
#include "document/pdf_pictures.h"
#include "document/pdf_rescue.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr size_t kMaxTailBytes = size_t{128} << 20;
  for (const auto rescue : {octavo::PdfRescue::kOwnCatalog, octavo::PdfRescue::kAllPages,
                            octavo::PdfRescue::kMendedKids}) {
    if (octavo::RescuePdfTail(text, rescue).size() > kMaxTailBytes) std::abort();
  }
  octavo::FindCutPictures(text);
  octavo::PicturesOfPdfImages(text);
  octavo::PagesOfPdfInfo(text);
  octavo::HasXfaForm(text);
  octavo::PageSizeOfPdfInfo(text, 1);
  octavo::PlaceOfPage(text, 3);
  return 0;
}
