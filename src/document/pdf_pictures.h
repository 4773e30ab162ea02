// Pictures in a PDF whose data ends before the picture does: poppler draws what is there, and does
// not say so.
#ifndef OCTAVO_DOCUMENT_PDF_PICTURES_H_
#define OCTAVO_DOCUMENT_PDF_PICTURES_H_

#include <string_view>
#include <vector>

namespace octavo {

// Numbers of the objects, ascending: JPEG data without an end, and deflated data too short to hold
// the picture's pixels. Pictures under several filters, or encrypted, are not looked into. Takes
// any bytes; needs time in proportion to their number.
std::vector<int> FindCutPictures(std::string_view pdf);

// Numbers of the objects that a page draws pictures from: of the lines that "pdfimages -list" gave.
std::vector<int> PicturesOfPdfImages(std::string_view output);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PDF_PICTURES_H_
