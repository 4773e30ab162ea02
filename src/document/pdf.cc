#include "document/pdf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/check.h"
#include "base/child_process.h"
#include "base/str_cat.h"
#include "octavo/error.h"
#include "vision/codec_ppm.h"

namespace octavo {
namespace {

constexpr int kMaxPages = 100'000;

ChildLimits InfoLimits() {
  ChildLimits limits;
  limits.output_bytes = int64_t{1} << 20;
  limits.cpu_seconds = 20;
  limits.wall_seconds = 40;
  return limits;
}

ChildLimits RenderLimits() {
  ChildLimits limits;
  limits.output_bytes = int64_t{kMaxPageSide + 1} * (kMaxPageSide + 1) * 3 + 64;
  limits.cpu_seconds = 60;
  limits.wall_seconds = 120;
  return limits;
}

bool Contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// The value behind `key` in pdfinfo's lines "Key:   value"; empty if absent.
std::string_view FieldOf(std::string_view lines, std::string_view key) {
  size_t begin = 0;
  while (begin < lines.size()) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = lines.substr(begin, end - begin);
    begin = end + 1;
    if (line.substr(0, key.size()) != key) continue;
    const size_t value = line.find_first_not_of(' ', key.size());
    return value == std::string_view::npos ? std::string_view() : line.substr(value);
  }
  return {};
}

std::optional<double> TakeNumber(std::string_view* text) {
  const size_t begin = text->find_first_of("-0123456789.");
  if (begin == std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* end = text->data() + text->size();
  const auto [next, error] = std::from_chars(text->data() + begin, end, value);
  if (error != std::errc()) return std::nullopt;
  text->remove_prefix(static_cast<size_t>(next - text->data()));
  return value;
}

// Throws for a child that did not do its work.
void CheckResult(const ChildResult& result, const std::string& path, const std::string& what,
                 bool has_password) {
  if (result.timed_out) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(path, ": ", what, " took longer than the time limit"));
  }
  if (result.output_cut) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(path, ": ", what, " gave more than the size limit"));
  }
  if (result.exit_code == 0) return;
  if (Contains(result.stderr_text, "Incorrect password")) {
    throw Error(ErrorCode::kInvalidArgument,
                has_password ? StrCat(path, ": the password is wrong")
                             : StrCat(path,
                                      ": the PDF is encrypted; give its password with "
                                      "--password"));
  }
  if (Contains(result.stderr_text, "Permission denied")) {
    throw Error(ErrorCode::kIo, StrCat(path, ": may not be read"));
  }
  if (result.exit_code > 128) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(path, ": ", what, " was ended by signal ", result.exit_code - 128,
                       " (damaged file, or more memory needed than the limit)"));
  }
  throw Error(ErrorCode::kDataLoss, StrCat(path, ": damaged or no PDF (", what, " ended with code ",
                                           result.exit_code, ")"));
}

}  // namespace

PdfFile::PdfFile(const std::string& path, std::string password)
    : path_(std::filesystem::absolute(path).string()), name_(path), password_(std::move(password)) {
  const ChildResult result = RunChild(Command("pdfinfo", 1), {}, InfoLimits());
  CheckResult(result, path, "pdfinfo", !password_.empty());
  std::string_view pages = FieldOf(result.stdout_bytes, "Pages:");
  const double count = TakeNumber(&pages).value_or(0);
  if (count < 1) throw Error(ErrorCode::kDataLoss, StrCat(path, ": the PDF has no pages"));
  if (count > kMaxPages) {
    throw Error(ErrorCode::kResourceExhausted,
                StrCat(path, ": ", count, " pages; at most ", kMaxPages, " are read"));
  }
  num_pages_ = static_cast<int>(count);
}

std::vector<std::string> PdfFile::Command(const char* program, int page) const {
  const std::string number = std::to_string(page);
  std::vector<std::string> command = {program, "-f", number, "-l", number};
  if (!password_.empty()) {
    command.insert(command.end(), {"-upw", password_, "-opw", password_});
  }
  command.push_back(path_);
  return command;
}

Image PdfFile::RenderPage(int index, int dpi, std::vector<std::string>* warnings) const {
  OCTAVO_CHECK(index >= 0 && index < num_pages_, "page ", index);
  const std::string page = StrCat("page ", index + 1);
  const ChildResult info = RunChild(Command("pdfinfo", index + 1), {}, InfoLimits());
  CheckResult(info, name_, "pdfinfo", !password_.empty());
  // pdfinfo right-aligns the number: "Page    1 size:  612 x 792 pts (letter)".
  std::string number = std::to_string(index + 1);
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, ' ');
  std::string_view size = FieldOf(info.stdout_bytes, StrCat("Page ", number, " size:"));
  const double width_pt = TakeNumber(&size).value_or(0);
  const double height_pt = TakeNumber(&size).value_or(0);
  if (!(width_pt > 0) || !(height_pt > 0) || !std::isfinite(width_pt * height_pt)) {
    throw Error(ErrorCode::kDataLoss, StrCat(name_, ": ", page, " has no size"));
  }
  const double longer_pt = std::max(width_pt, height_pt);
  double resolution = dpi;
  if (longer_pt * resolution / 72 > kMaxPageSide) {
    resolution = kMaxPageSide * 72.0 / longer_pt;
    warnings->push_back(StrCat("page_downscaled: rendered at ", std::ceil(resolution * 10) / 10,
                               " dpi to stay within ", kMaxPageSide, " pixels"));
  }
  std::vector<std::string> command = Command("pdftoppm", index + 1);
  command.insert(command.begin() + 1, {"-cropbox", "-r", StrCat(resolution)});
  const ChildResult result = RunChild(command, {}, RenderLimits());
  CheckResult(result, name_, StrCat("pdftoppm of ", page), !password_.empty());
  if (result.stdout_bytes.empty()) {
    throw Error(ErrorCode::kDataLoss, StrCat(name_, ": ", page, " is damaged: nothing to render"));
  }
  if (Contains(result.stderr_text, "Error")) {
    warnings->push_back("pdf_repaired: the PDF is damaged; the page may be incomplete");
  }
  return DecodePpm(std::as_bytes(std::span(result.stdout_bytes)), StrCat(name_, ": ", page), {})
      .image;
}

std::vector<int> ParsePageRanges(const std::string& ranges, int num_pages) {
  std::vector<bool> is_wanted(static_cast<size_t>(num_pages), ranges.empty());
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::kInvalidArgument, StrCat("--pages ", ranges, ": ", why));
  };
  std::string_view rest = ranges;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
    const size_t dash = part.find('-');
    const auto number = [&](std::string_view text, int if_empty) {
      if (text.empty() && dash != std::string_view::npos) return if_empty;
      int value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc() || end != text.data() + text.size()) {
        fail("expected page numbers and ranges like 1-3,7");
      }
      return value;
    };
    const int first = number(part.substr(0, dash), 1);
    const int last =
        dash == std::string_view::npos ? first : number(part.substr(dash + 1), num_pages);
    if (first < 1 || last > num_pages || first > last) {
      fail(StrCat("the document has pages 1 to ", num_pages));
    }
    std::fill(is_wanted.begin() + (first - 1), is_wanted.begin() + last, true);
  }
  std::vector<int> pages;
  for (int i = 0; i < num_pages; ++i) {
    if (is_wanted[static_cast<size_t>(i)]) pages.push_back(i);
  }
  return pages;
}

}  // namespace octavo
