// PDF pages as pictures, through poppler's pdfinfo and pdftoppm (and qpdf for passwords) in
// confined child processes: a crash or a bomb in a PDF ends a child, never the program. Only the
// end of a file that poppler cannot open is looked for in this process, under limits of its own.
#ifndef OCTAVO_DOCUMENT_PDF_H_
#define OCTAVO_DOCUMENT_PDF_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/function_ref.h"
#include "base/memory_file.h"
#include "document/pdf_rescue.h"
#include "octavo/document.h"
#include "vision/image.h"

namespace octavo {

struct RenderedPage {
  Image image;
  double width_pt = 0;  // of what is shown
  double height_pt = 0;
};

// Const and safe from any thread; every call reads the file anew.
class PdfFile {
 public:
  // An encrypted file that no reader needs a password for opens without; otherwise the password is
  // handed to qpdf, which decrypts the file into memory. A damaged file is repaired as far as
  // poppler and pdf_rescue.h can. Throws kNotFound (no file; poppler's or qpdf's program not
  // installed), kInvalidArgument (password missing or wrong), kDataLoss (no PDF, damaged, no
  // pages), kResourceExhausted (a limit was reached), kCancelled, kIo. The canceller, which may be
  // null and outlives the object, ends children that are at work.
  PdfFile(const std::string& path, const std::string& password,
          const Canceller* canceller = nullptr);

  // The same of the bytes of a file. `name` stands for it in messages.
  static PdfFile FromBytes(std::string_view bytes, const std::string& name,
                           const std::string& password, const Canceller* canceller = nullptr);

  int num_pages() const { return num_pages_; }

  // The page's crop box in upright position at `dpi`, or at what ResolutionOf gives for it if that
  // is less (then a warning). Throws kDataLoss, kResourceExhausted, kCancelled, kIo.
  // REQUIRES: 0 <= index < num_pages, 36 <= dpi <= 600.
  RenderedPage RenderPage(int index, int dpi, std::vector<std::string>* warnings) const;

 private:
  PdfFile() = default;
  // `read`: the file's bytes, or none where they are too many.
  void Open(FunctionRef<std::string()> read, const std::string& password);
  void Decrypt(const std::string& password);
  bool Rescue(std::string_view bytes, PdfRescue rescue);
  ChildResult RunConfined(const std::vector<std::string>& words, std::string_view input,
                          ChildLimits limits) const;
  ChildResult RunPoppler(std::vector<std::string> words, int page, const ChildLimits& limits) const;
  void LookForDamage(FunctionRef<std::string()> read, uint64_t num_bytes);
  int FindPage(int number, std::string* info_text) const;
  void WarnOfCutPictures(int poppler_number, std::vector<std::string>* warnings) const;

  std::string path_;                         // absolute; of a file that no other bytes replace
  std::shared_ptr<const MemoryFile> bytes_;  // decrypted, rescued or never in a file
  std::string name_;                         // as given, for messages
  const Canceller* canceller_ = nullptr;
  int num_pages_ = 0;
  bool is_decrypted_ = false;
  bool is_rescued_ = false;
  bool has_xfa_ = false;
  std::vector<int> cut_pictures_;  // objects, ascending
};

// Longest side of a rendered page. Source: mineru 3.4.5, pdf_image_tools.py.
inline constexpr int kMaxPageSide = 3500;
// A page that is more than three times as long as wide (a receipt, a web page, a banner) may have
// as many pixels as the largest square one instead, where it would be too small to read.
inline constexpr int kLongPageRatio = 3;
inline constexpr int kMaxLongPageSide = 100'000;

// Pixels per inch at which a page of that size (points, > 0) is rendered: at most `dpi`.
double ResolutionOf(double width_pt, double height_pt, int dpi);

}  // namespace octavo

#endif  // OCTAVO_DOCUMENT_PDF_H_
