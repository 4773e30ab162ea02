#include "document/pdf.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/child_process.h"
#include "base/file.h"
#include "base/memory_file.h"
#include "base/str_cat.h"
#include "document/pdf_info.h"
#include "document/pdf_pictures.h"
#include "document/pdf_rescue.h"
#include "octavo/error.h"
#include "vision/codec_ppm.h"

namespace octavo {
namespace {

constexpr int kMaxPages = 100'000;
constexpr size_t kMaxRescuedBytes = size_t{1} << 29;
constexpr size_t kMaxSearchedBytes = size_t{1} << 27;

ChildLimits InfoLimits() {
  ChildLimits limits;
  limits.output_bytes = int64_t{1} << 20;
  limits.cpu_seconds = 20;
  limits.wall_seconds = 40;
  return limits;
}

// Of a page of that size in points.
ChildLimits RenderLimits(const PdfPageSize& size, double resolution) {
  // A pixel more on each side for poppler's rounding; and one more.
  const auto pixels = [&](double points) {
    return static_cast<int64_t>(std::ceil(points * resolution / 72)) + 2;
  };
  ChildLimits limits;
  limits.output_bytes = pixels(size.width_pt) * pixels(size.height_pt) * 3 + 64;
  limits.cpu_seconds = 60;
  limits.wall_seconds = 120;
  return limits;
}

ChildLimits DecryptLimits() {
  ChildLimits limits;
  limits.cpu_seconds = 60;
  limits.wall_seconds = 120;
  return limits;
}

bool Contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// Throws for a child that did not do its work.
void CheckResult(const ChildResult& result, const std::string& name, const std::string& what) {
  if (result.timed_out) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(name, ": ", what, " took longer than the time limit"));
  }
  if (result.output_cut) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(name, ": ", what, " gave more than the size limit"));
  }
  if (result.exit_code == 0) return;
  if (Contains(result.stderr_text, "Permission denied")) {
    throw Error(ErrorCode::kIo, StrCat(name, ": may not be read"));
  }
  if (result.exit_code > 128) {
    throw Error(
        ErrorCode::kDataLoss,
        StrCat(name, ": pdf_corrupt: ", what, " was ended by signal ", result.exit_code - 128,
               " (damaged file, or more memory needed than the limit)"));
  }
  throw Error(ErrorCode::kDataLoss, StrCat(name, ": pdf_corrupt: damaged beyond repair (", what,
                                           " ended with code ", result.exit_code, ")"));
}

}  // namespace

double ResolutionOf(double width_pt, double height_pt, int dpi) {
  const double longer = std::max(width_pt, height_pt);
  const double shorter = std::min(width_pt, height_pt);
  const double of_side = kMaxPageSide * 72.0 / longer;
  if (longer <= kLongPageRatio * shorter) return std::min<double>(dpi, of_side);
  const double of_area = kMaxPageSide * 72.0 / std::sqrt(longer * shorter);
  const double of_length = kMaxLongPageSide * 72.0 / longer;
  return std::min({static_cast<double>(dpi), of_area, of_length});
}

PdfFile::PdfFile(const std::string& path, const std::string& password, const Canceller* canceller)
    // No word of a command line begins with a dash.
    : path_(std::filesystem::absolute(path).string()), name_(path), canceller_(canceller) {
  // Poppler reads the file; its bytes are wanted here only where poppler cannot.
  std::error_code ignored;
  const uint64_t num_bytes = std::filesystem::file_size(path, ignored);
  const auto read = [&] {
    return num_bytes > kMaxRescuedBytes ? std::string() : ReadFile(path, kMaxRescuedBytes);
  };
  Open(read, password);
  LookForDamage(read, num_bytes);
}

PdfFile PdfFile::FromBytes(std::string_view bytes, const std::string& name,
                           const std::string& password, const Canceller* canceller) {
  PdfFile file;
  file.name_ = name;
  file.canceller_ = canceller;
  file.bytes_ = std::make_shared<const MemoryFile>(bytes);
  const auto read = [&] { return std::string(bytes.size() > kMaxRescuedBytes ? "" : bytes); };
  file.Open(read, password);
  file.LookForDamage(read, bytes.size());
  return file;
}

void PdfFile::Open(FunctionRef<std::string()> read, const std::string& password) {
  ChildResult info = RunPoppler({"pdfinfo"}, 1, InfoLimits());
  if (Contains(info.stderr_text, "Incorrect password")) {
    Decrypt(password);
    info = RunPoppler({"pdfinfo"}, 1, InfoLimits());
  }
  const bool is_empty = Contains(info.stderr_text, "Invalid page count 0");
  std::optional<std::string> bytes;
  for (const PdfRescue rescue : {PdfRescue::kOwnCatalog, PdfRescue::kAllPages}) {
    if (is_empty || info.timed_out || PagesOfPdfInfo(info.stdout_bytes) > 0) break;
    if (!bytes) bytes = read();
    if (Rescue(*bytes, rescue)) info = RunPoppler({"pdfinfo"}, 1, InfoLimits());
  }
  if (!is_empty) CheckResult(info, name_, "pdfinfo");
  const int64_t count = is_empty ? 0 : PagesOfPdfInfo(info.stdout_bytes);
  if (count == 0) {
    throw Error(ErrorCode::kDataLoss, StrCat(name_, ": pdf_no_pages: the PDF has no pages"));
  }
  if (count > kMaxPages) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(name_, ": ", count, " pages; at most ", kMaxPages, " are read"));
  }
  num_pages_ = static_cast<int>(count);
  has_xfa_ = HasXfaForm(info.stdout_bytes);
}

// What poppler does not tell of, or not before the page. Decrypt has looked at its result itself.
void PdfFile::LookForDamage(FunctionRef<std::string()> read, uint64_t num_bytes) {
  if (is_decrypted_ || is_rescued_) return;
  // They are held in memory while they are searched.
  if (num_bytes <= kMaxSearchedBytes) cut_pictures_ = FindCutPictures(read());
  // An entry of the tree of pages that is no reference ends it for poppler: no page behind it would
  // be read.
  if (num_pages_ == 1) return;
  const ChildResult last = RunPoppler({"pdfinfo"}, num_pages_, InfoLimits());
  if (!Contains(last.stderr_text, "is not an indirect reference")) return;
  const std::shared_ptr<const MemoryFile> before = bytes_;
  if (!Rescue(read(), PdfRescue::kMendedKids)) return;
  const ChildResult info = RunPoppler({"pdfinfo"}, 1, InfoLimits());
  if (PagesOfPdfInfo(info.stdout_bytes) == num_pages_) return;
  bytes_ = before;
  is_rescued_ = false;
}

// poppler's programs take passwords on their command lines only, where everybody who is logged in
// can see them; qpdf reads them from its standard input.
void PdfFile::Decrypt(const std::string& password) {
  if (password.empty()) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(name_,
                       ": pdf_password_required: the PDF is encrypted; give its password with "
                       "--password-file or --password"));
  }
  const std::string source = bytes_ != nullptr ? bytes_->ChildPath() : path_;
  const ChildResult result = RunConfined({"qpdf", "--password-file=-", "--decrypt", source, "-"},
                                         password + "\n", DecryptLimits());
  if (Contains(result.stderr_text, "invalid password")) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(name_, ": pdf_password_wrong: the password is wrong"));
  }
  constexpr int kWarnings = 3;  // qpdf's own code for a file that it repaired
  if (result.exit_code != kWarnings) CheckResult(result, name_, "qpdf");
  is_rescued_ = result.exit_code == kWarnings;
  is_decrypted_ = true;
  cut_pictures_ = FindCutPictures(result.stdout_bytes);
  bytes_ = std::make_shared<const MemoryFile>(result.stdout_bytes);
}

// True if the file got a new end, which may make it readable.
bool PdfFile::Rescue(std::string_view bytes, PdfRescue rescue) {
  const std::string tail = RescuePdfTail(bytes, rescue);
  if (tail.empty()) return false;
  bytes_ = std::make_shared<const MemoryFile>(bytes, tail);
  is_rescued_ = true;
  return true;
}

ChildResult PdfFile::RunConfined(const std::vector<std::string>& words, std::string_view input,
                                 ChildLimits limits) const {
  if (canceller_ != nullptr) {
    limits.is_cancelled = [this] { return canceller_->cancelled(); };
  }
  ChildResult result = [&] {
    try {
      return RunChild(words, input, limits, bytes_.get());
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kNotFound) throw;
      throw Error(ErrorCode::kNotFound,
                  StrCat(name_, ": ", error.what(), ": install ",
                         words[0] == "qpdf" ? "qpdf" : "poppler-utils", " to read this PDF"));
    }
  }();
  if (result.cancelled) throw Error(ErrorCode::kCancelled, StrCat(name_, ": cancelled"));
  return result;
}

ChildResult PdfFile::RunPoppler(std::vector<std::string> words, int page,
                                const ChildLimits& limits) const {
  const std::string number = std::to_string(page);
  words.insert(words.end(), {"-f", number, "-l", number});
  words.push_back(bytes_ != nullptr ? bytes_->ChildPath() : path_);
  return RunConfined(words, {}, limits);
}

// poppler's number of a page (from 1), and what pdfinfo says about it. Throws if there is none.
int PdfFile::FindPage(int number, std::string* info_text) const {
  const auto ask = [&](int poppler_number) {
    ChildResult info = RunPoppler({"pdfinfo"}, poppler_number, InfoLimits());
    CheckResult(info, name_, "pdfinfo");
    return info;
  };
  ChildResult info = ask(number);
  int poppler_number = number;
  // Entries that poppler left out count only if pages are missing at the end for them.
  if (LeavesOutPages(info.stderr_text) &&
      !PageSizeOfPdfInfo(ask(num_pages_).stdout_bytes, num_pages_)) {
    const PdfPagePlace place = PlaceOfPage(info.stderr_text, number);
    if (place.is_damaged) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(name_, ": pdf_corrupt: page ", number, " is damaged: nothing is there"));
    }
    if (place.poppler_number != number) info = ask(place.poppler_number);
    poppler_number = place.poppler_number;
  }
  *info_text = std::move(info.stdout_bytes);
  return poppler_number;
}

void PdfFile::WarnOfCutPictures(int poppler_number, std::vector<std::string>* warnings) const {
  if (cut_pictures_.empty()) return;
  const ChildResult list = RunPoppler({"pdfimages", "-list"}, poppler_number, InfoLimits());
  const std::vector<int> drawn = PicturesOfPdfImages(list.stdout_bytes);
  const auto is_cut = [&](int number) {
    return std::binary_search(cut_pictures_.begin(), cut_pictures_.end(), number);
  };
  if (std::any_of(drawn.begin(), drawn.end(), is_cut)) {
    warnings->push_back("picture_cut: data of a picture is missing; the page is incomplete");
  }
}

RenderedPage PdfFile::RenderPage(int index, int dpi, std::vector<std::string>* warnings) const {
  OCTAVO_CHECK(index >= 0 && index < num_pages_, "page ", index);
  const std::string page = StrCat("page ", index + 1);
  std::string info_text;
  const int number = FindPage(index + 1, &info_text);
  const std::optional<PdfPageSize> size = PageSizeOfPdfInfo(info_text, number);
  if (!size) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(name_, ": pdf_corrupt: ", page, " is damaged: it has no size"));
  }
  const double resolution = ResolutionOf(size->width_pt, size->height_pt, dpi);
  if (resolution < dpi) {
    warnings->push_back(StrCat("page_downscaled: rendered at ", std::ceil(resolution * 10) / 10,
                               " dpi: it is larger than the limit of a page"));
  }
  if (has_xfa_) {
    warnings->push_back("xfa_unsupported: the form's own program is not run");
  }
  const ChildResult result = RunPoppler({"pdftoppm", "-cropbox", "-r", StrCat(resolution)}, number,
                                        RenderLimits(*size, resolution));
  CheckResult(result, name_, StrCat("pdftoppm of ", page));
  if (result.stdout_bytes.empty()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(name_, ": pdf_corrupt: ", page, " is damaged: nothing to render"));
  }
  if (is_rescued_ || Contains(result.stderr_text, "Error")) {
    warnings->push_back("pdf_repaired: the PDF is damaged; the page may be incomplete");
  }
  WarnOfCutPictures(number, warnings);
  return {
      DecodePpm(std::as_bytes(std::span(result.stdout_bytes)), StrCat(name_, ": ", page), {}).image,
      size->width_pt, size->height_pt};
}

}  // namespace octavo
