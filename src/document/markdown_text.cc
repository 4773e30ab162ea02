#include "document/markdown_text.h"

#include <algorithm>
#include <cstddef>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "document/repair_equation.h"
#include "document/white_space.h"

namespace octavo {
namespace {

int CountOf(std::string_view text, std::string_view word) {
  int count = 0;
  for (size_t i = text.find(word); i != std::string_view::npos;
       i = text.find(word, i + word.size())) {
    ++count;
  }
  return count;
}

std::string EscapeAndFold(std::string_view text) {
  constexpr std::string_view kSpecial = "*_`~$";
  std::string out;
  size_t num_backslashes = 0;
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const auto length = static_cast<size_t>(c.num_bytes);
    const bool is_special = length == 1 && kSpecial.find(text[0]) != std::string_view::npos;
    if (is_special && num_backslashes % 2 == 0) out += '\\';
    const char32_t u = c.code_point;
    const bool is_full_width = (u >= 0xFF10 && u <= 0xFF19) || (u >= 0xFF21 && u <= 0xFF3A) ||
                               (u >= 0xFF41 && u <= 0xFF5A);
    if (is_full_width) {
      out += static_cast<char>(u - 0xFEE0);
    } else {
      out += text.substr(0, length);
    }
    num_backslashes = text[0] == '\\' ? num_backslashes + 1 : 0;
    text.remove_prefix(length);
  }
  return out;
}

// \[x\] to [x] if there are as many openings as closings.
std::string FlattenBrackets(std::string_view text) {
  const int count = CountOf(text, "\\[");
  if (count == 0 || count != CountOf(text, "\\]")) return std::string(text);
  std::string out;
  size_t begin = 0;
  while (true) {
    const size_t open = text.find("\\[", begin);
    const size_t close = open == std::string_view::npos ? open : text.find("\\]", open + 2);
    if (close == std::string_view::npos) break;
    out += text.substr(begin, open - begin);
    out += StrCat("[", text.substr(open + 2, close - open - 2), "]");
    begin = close + 2;
  }
  out += text.substr(begin);
  return out;
}

void AddSpan(std::string_view span, std::string* out) {
  if (span.empty()) return;
  if (!out->empty()) *out += ' ';
  *out += span;
}

}  // namespace

std::string MarkdownText(std::string_view content) {
  const std::string flat = FlattenBrackets(content);
  const std::string_view text = flat;
  const int count = CountOf(text, "\\(");
  if (count == 0 || count != CountOf(text, "\\)")) return EscapeAndFold(TrimSpace(text));
  std::string out;
  size_t begin = 0;
  size_t from = 0;
  while (true) {
    const size_t open = text.find("\\(", from);
    const size_t close = open == std::string_view::npos ? open : text.find("\\)", open + 2);
    if (close == std::string_view::npos) break;
    const std::string_view formula = text.substr(open + 2, close - open - 2);
    if (formula.find('\n') != std::string_view::npos) {
      from = open + 2;
      continue;
    }
    AddSpan(EscapeAndFold(TrimSpace(text.substr(begin, open - begin))), &out);
    AddSpan(StrCat("$", TrimSpace(formula), "$"), &out);
    begin = close + 2;
    from = begin;
  }
  AddSpan(EscapeAndFold(TrimSpace(text.substr(begin))), &out);
  return out;
}

std::string MarkdownTitle(std::string_view content) {
  std::string line;
  for (size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '\n') {
      line += content[i];
      continue;
    }
    line += ' ';
    while (i + 1 < content.size() && IsSpace(static_cast<unsigned char>(content[i + 1]))) ++i;
  }
  return MarkdownText(line);
}

std::string EscapeMarkdownPrefix(std::string text) {
  if (text.empty()) return text;
  const size_t marks = text[0] == '#'                       ? text.find_first_not_of('#')
                       : (text[0] == '+' || text[0] == '-') ? 1
                                                            : 0;
  if (marks == std::string::npos || marks == 0 || marks > 6 || marks >= text.size()) return text;
  if (IsSpace(static_cast<unsigned char>(text[marks]))) text.insert(0, 1, '\\');
  return text;
}

std::string MarkdownEquation(std::string_view content) {
  return "$$\n" + FixEquationDelimiters(content) + "\n$$";
}

}  // namespace octavo
