#include "document/pdf_info.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/str_cat.h"

namespace octavo {
namespace {

constexpr std::string_view kBadKid = "Kid object (page ";
constexpr std::string_view kWrongType = ") is wrong type";

// The line at the front of `text`, which goes on behind it.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = std::min(text->find('\n'), text->size());
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(std::min(end + 1, text->size()));
  return line;
}

// The value behind `key` in lines "Key:   value"; empty if absent. Of several lines the last
// counts: pdfinfo prints its own behind the title and the other words of the document, which may
// hold line feeds.
std::string_view FieldOf(std::string_view lines, std::string_view key) {
  std::string_view found;
  while (!lines.empty()) {
    const std::string_view line = TakeLine(&lines);
    if (line.substr(0, key.size()) != key) continue;
    const size_t value = line.find_first_not_of(' ', key.size());
    found = value == std::string_view::npos ? std::string_view() : line.substr(value);
  }
  return found;
}

// The lines that are pdfinfo's alone: those of pages stand behind the last "Encrypted:".
std::string_view BehindDocument(std::string_view output) {
  const size_t encrypted = output.rfind("\nEncrypted:");
  return encrypted == std::string_view::npos ? output : output.substr(encrypted + 1);
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

// In how many places of the page tree poppler found no page, by the number that poppler gives to
// the page behind it; in the order of the tree.
std::vector<int> BadKids(std::string_view errors) {
  std::vector<int> kids;
  while (!errors.empty()) {
    std::string_view line = TakeLine(&errors);
    const size_t begin = line.find(kBadKid);
    if (begin == std::string_view::npos) continue;
    line.remove_prefix(begin + kBadKid.size());
    int number = 0;
    const auto [next, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    line.remove_prefix(static_cast<size_t>(next - line.data()));
    if (error == std::errc() && line.substr(0, kWrongType.size()) == kWrongType) {
      kids.push_back(number);
    }
  }
  return kids;
}

}  // namespace

int64_t PagesOfPdfInfo(std::string_view output) {
  std::string_view field = FieldOf(output, "Pages:");
  const double pages = TakeNumber(&field).value_or(0);
  return pages > 0 && pages < 1e15 ? static_cast<int64_t>(pages) : 0;
}

bool HasXfaForm(std::string_view output) { return FieldOf(output, "Form:") == "XFA"; }

std::optional<PdfPageSize> PageSizeOfPdfInfo(std::string_view output, int number) {
  output = BehindDocument(output);
  // The number is right-aligned: "Page    1 size:  612 x 792 pts (letter)".
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, ' ');
  std::string_view field = FieldOf(output, StrCat("Page ", digits, " size:"));
  PdfPageSize size;
  size.width_pt = TakeNumber(&field).value_or(0);
  size.height_pt = TakeNumber(&field).value_or(0);
  if (!(size.width_pt > 0) || !(size.height_pt > 0)) return std::nullopt;
  if (!std::isfinite(size.width_pt) || !std::isfinite(size.height_pt)) return std::nullopt;
  std::string_view turn = FieldOf(output, StrCat("Page ", digits, " rot:"));
  const double degrees = TakeNumber(&turn).value_or(0);
  if (degrees == 90 || degrees == 270) std::swap(size.width_pt, size.height_pt);
  return size;
}

PdfPagePlace PlaceOfPage(std::string_view errors, int number) {
  PdfPagePlace place;
  place.poppler_number = number;
  int num_before = 0;
  for (const int kid : BadKids(errors)) {
    if (kid + num_before > number) break;
    if (kid + num_before == number) {
      place.is_damaged = true;
      return place;
    }
    ++num_before;
  }
  place.poppler_number = number - num_before;
  return place;
}

bool LeavesOutPages(std::string_view errors) { return !BadKids(errors).empty(); }

}  // namespace octavo
