#include "document/lists.h"

#include <cstdlib>
#include <string_view>

#include "base/utf8.h"

namespace octavo {
namespace {

using Kind = ListMark::Kind;

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

bool HasSeveralLines(const ListItem& item) { return item.num_lines > 1; }

// True if `item` may follow `last` in its list.
bool GoesOn(const ListItem& last, const ListItem& item, double tolerance) {
  if (item.mark.kind == Kind::kNone || item.box.y0 < last.box.y0) return false;
  if (HasSeveralLines(last) && HasSeveralLines(item) && last.is_hanging != item.is_hanging) {
    return false;
  }
  // A list inside a list begins at one as well, but farther to the right.
  const bool is_same_style = last.mark.kind == Kind::kNumber && item.mark.kind == Kind::kNumber &&
                             last.mark.closing == item.mark.closing &&
                             std::abs(last.box.x0 - item.box.x0) <= tolerance;
  return !(is_same_style && item.mark.number == 1);
}

}  // namespace

ListMark ListMarkOf(std::string_view text) {
  if (text.empty()) return {};
  const DecodedChar c = DecodeUtf8(text);
  const auto length = static_cast<size_t>(c.num_bytes);
  const auto has_blank_at = [&](size_t i) { return i < text.size() && text[i] == ' '; };
  constexpr std::u32string_view kBullets =
      U"-*+\u2022\u25CF\u25CB\u25A0\u25AA\u2013\u2014\u00B7\u2023\u25E6";
  if (kBullets.find(c.code_point) != std::u32string_view::npos) {
    return has_blank_at(length) ? ListMark{Kind::kBullet, 0, 0} : ListMark{};
  }
  size_t i = 0;
  const bool is_bracket = text[0] == '(' || text[0] == '[';
  if (is_bracket) ++i;
  const size_t word = i;
  int number = 0;
  for (; i < text.size() && IsAsciiDigit(text[i]); ++i) {
    if (i - word < 3) number = number * 10 + (text[i] - '0');
  }
  const bool is_number = i > word && i - word <= 3;
  if (i == word && i < text.size() && IsAsciiLetter(text[i])) ++i;  // one letter: "a)", "(b)"
  if (i == word || i >= text.size() || !has_blank_at(i + 1)) return {};
  const char closing = text[i];
  const bool closes = is_bracket ? closing == ')' || closing == ']'
                                 : closing == ')' || (is_number && closing == '.');
  if (!closes) return {};
  return is_number ? ListMark{Kind::kNumber, number, closing} : ListMark{Kind::kLetter, 0, closing};
}

std::vector<ListRun> FindLists(const std::vector<ListItem>& paragraphs, double tolerance) {
  std::vector<ListRun> lists;
  for (size_t begin = 0; begin < paragraphs.size();) {
    size_t end = begin + 1;
    if (paragraphs[begin].mark.kind == Kind::kNone) {
      begin = end;
      continue;
    }
    while (end < paragraphs.size() && GoesOn(paragraphs[end - 1], paragraphs[end], tolerance)) {
      ++end;
    }
    const ListItem& first = paragraphs[begin];
    if (end - begin > 1 || first.is_hanging || first.has_print_mark) lists.push_back({begin, end});
    begin = end;
  }
  return lists;
}

}  // namespace octavo
