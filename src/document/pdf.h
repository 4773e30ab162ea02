// PDF pages as pictures, through poppler's pdfinfo and pdftoppm in confined child processes: a
// crash or a bomb in a PDF ends a child, never the program.
#ifndef OCTAVO_DOCUMENT_PDF_H_
#define OCTAVO_DOCUMENT_PDF_H_

#include <string>
#include <vector>

#include "vision/image.h"

namespace octavo {

// Const and safe from any thread; every call reads the file anew.
class PdfFile {
 public:
  // Throws kNotFound (no file; pdfinfo not installed), kInvalidArgument (password missing or
  // wrong), kDataLoss (no PDF, damaged, no pages), kResourceExhausted (a limit was reached), kIo.
  PdfFile(const std::string& path, std::string password);

  int num_pages() const { return num_pages_; }

  // The page's crop box in upright position at `dpi`, or less where the longer side would exceed
  // 3500 pixels (MinerU's clamp; then a warning). Throws kDataLoss, kResourceExhausted, kIo.
  // REQUIRES: 0 <= index < num_pages, 36 <= dpi <= 600.
  Image RenderPage(int index, int dpi, std::vector<std::string>* warnings) const;

 private:
  std::vector<std::string> Command(const char* program, int page) const;

  std::string path_;  // absolute: no word of the command line begins with a dash
  std::string name_;  // as given, for messages
  std::string password_;
  int num_pages_ = 0;
};

// Longest side of a rendered page. Source: mineru 3.4.5, pdf_image_tools.py.
inline constexpr int kMaxPageSide = 3500;

// "1-3,7,9-" of a document with num_pages pages, ascending and from 0; "" is all. Throws
// kInvalidArgument (syntax, a page that is not there).
std::vector<int> ParsePageRanges(const std::string& ranges, int num_pages);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PDF_H_
