#include "document/page_ranges.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

[[noreturn]] void Fail(const std::string& ranges, const std::string& why) {
  throw Error(ErrorCode::kInvalidArgument, StrCat("--pages ", ranges, ": ", why));
}

int PageNumber(std::string_view text, const std::string& ranges) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    Fail(ranges, "expected page numbers and ranges like 1-3,7");
  }
  if (value == 0) Fail(ranges, "found page 0, expected numbers from 1");
  return value;
}

}  // namespace

std::vector<PageRange> ParsePageRanges(const std::string& ranges) {
  if (ranges.empty()) return {{1, kToTheEnd}};
  std::vector<PageRange> parsed;
  std::string_view rest = ranges;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, comma);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
    const size_t dash = part.find('-');
    PageRange range;
    if (dash != 0) range.first = PageNumber(part.substr(0, dash), ranges);
    range.last = range.first;
    if (dash != std::string_view::npos) {
      const std::string_view last = part.substr(dash + 1);
      range.last = last.empty() ? kToTheEnd : PageNumber(last, ranges);
    }
    if (range.first > range.last) {
      Fail(ranges, StrCat(part, " runs backwards, expected ", range.last, "-", range.first));
    }
    parsed.push_back(range);
  }
  return parsed;
}

ChosenPages ChoosePagesOf(const std::vector<PageRange>& ranges, int num_pages) {
  std::vector<bool> is_wanted(static_cast<size_t>(num_pages), false);
  ChosenPages chosen;
  for (const PageRange& range : ranges) {
    if (range.first > num_pages || (range.last > num_pages && range.last != kToTheEnd)) {
      chosen.lacks_pages = true;
    }
    if (range.first > num_pages) continue;
    std::fill(is_wanted.begin() + (range.first - 1),
              is_wanted.begin() + std::min(range.last, num_pages), true);
  }
  for (int i = 0; i < num_pages; ++i) {
    if (is_wanted[static_cast<size_t>(i)]) chosen.indices.push_back(i);
  }
  return chosen;
}

}  // namespace octavo
