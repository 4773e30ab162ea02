#include "document/cell_merge.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "base/utf8.h"
#include "document/block.h"
#include "document/html_tree.h"
#include "document/mermaid_text.h"
#include "document/table_rows.h"
#include "document/white_space.h"

namespace octavo {
namespace {

// Blocks that may stand between a table and the edge of its page.
bool IsPassedOver(std::string_view type) {
  constexpr std::string_view kTypes[] = {"table_caption",  "table_footnote", "image_caption",
                                         "image_footnote", "header",         "footer",
                                         "page_number",    "page_footnote"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

template <typename Iterator>
Iterator FindTable(Iterator begin, Iterator end) {
  const auto first =
      std::find_if_not(begin, end, [](const ContentBlock& b) { return IsPassedOver(b.type); });
  return first != end && first->type == "table" ? first : end;
}

// Characters that Python's repr writes as numbers.
bool IsUnprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) ||
         (c >= 0x205F && c <= 0x206F) || c == 0x3000 || (c >= 0xE000 && c <= 0xF8FF) ||
         c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) || c >= 0xF0000;
}

void AppendNumber(char32_t c, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  const int num_digits = c <= 0xFF ? 2 : c <= 0xFFFF ? 4 : 8;
  *out += c <= 0xFF ? "\\x" : c <= 0xFFFF ? "\\u" : "\\U";
  for (int i = num_digits - 1; i >= 0; --i) *out += kHex[(c >> (4 * i)) & 0xFu];
}

// repr() of a str.
std::string Repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const auto length = static_cast<size_t>(c.num_bytes);
    if (text[0] == quote || text[0] == '\\') {
      out += '\\';
      out += text[0];
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (text[0] == '\r') {
      out += "\\r";
    } else if (text[0] == '\t') {
      out += "\\t";
    } else if (c.valid && IsUnprintable(c.code_point)) {
      AppendNumber(c.code_point, &out);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out + quote;
}

std::string ReprOf(const std::vector<RowSegment>& segments) {
  std::string out = "[";
  for (const RowSegment& segment : segments) {
    if (out.size() > 1) out += ", ";
    out += Repr(segment.text);
  }
  return out + "]";
}

std::string PromptFor(const std::vector<RowSegment>& last, const std::vector<RowSegment>& first) {
  return "Please merge the next two tables.\n\n"
         "## Table 1 (Previous Page - Last Table)\n\n"
         "**Caption:** (No caption)\n"
         "**Last Row(s) Data:**\n[" +
         ReprOf(last) +
         "]\n\n---\n\n"
         "## Table 2 (Current Page - First Table)\n\n"
         "**Caption:** (No caption)\n"
         "**First Data Row(s):**\n[" +
         ReprOf(first) + "]";
}

std::optional<CellMergeQuestion> QuestionFor(const ContentBlock& before,
                                             const ContentBlock& after) {
  const std::unique_ptr<HtmlNode> first_tree = ParseHtml(before.content.value_or(""));
  const std::unique_ptr<HtmlNode> second_tree = ParseHtml(after.content.value_or(""));
  const TableRows first(*first_tree);
  const TableRows second(*second_tree);
  if (first.rows().empty() || second.rows().empty()) return std::nullopt;
  if (!FitTogether(first, before.bbox, second, after.bbox)) return std::nullopt;
  const std::optional<RowColumns> last = first.LastRow();
  const size_t row = CountRepeatedHeaders(first, second);
  if (!last || row >= second.rows().size()) return std::nullopt;
  const std::vector<RowSegment> last_cells = first.SegmentsOf(last->row);
  const std::vector<RowSegment> first_cells = second.SegmentsOf(row);
  if (last_cells.empty() || last_cells.size() != first_cells.size()) return std::nullopt;
  CellMergeQuestion question;
  question.prompt = PromptFor(last_cells, first_cells);
  for (const RowSegment& cell : last_cells) question.columns.emplace_back(cell.begin, cell.end);
  return question;
}

// "0, 1" as a list of noughts and ones; nothing for any other list.
std::optional<std::vector<int>> ParseFlags(std::string_view text) {
  std::vector<int> flags;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view item = TrimSpace(text.substr(0, comma));
    if (item != "0" && item != "1") return std::nullopt;
    flags.push_back(item == "1" ? 1 : 0);
    if (comma == std::string_view::npos) return flags;
    text.remove_prefix(comma + 1);
  }
}

// What stands in the first pair of square brackets with nothing but figures, commas and space.
std::optional<std::string_view> FindList(std::string_view text) {
  for (size_t i = text.find('['); i != std::string_view::npos; i = text.find('[', i + 1)) {
    size_t end = i + 1;
    while (end < text.size()) {
      const size_t space = SpaceLength(text.substr(end));
      const bool is_item = (text[end] >= '0' && text[end] <= '9') || text[end] == ',';
      if (space == 0 && !is_item) break;
      end += std::max<size_t>(space, 1);
    }
    if (end > i + 1 && end < text.size() && text[end] == ']') {
      return text.substr(i + 1, end - i - 1);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<CellMergeQuestion> FindCellMergeQuestions(
    const std::vector<std::vector<ContentBlock>>& pages) {
  std::vector<CellMergeQuestion> questions;
  for (size_t page = 1; page < pages.size(); ++page) {
    const auto& before = pages[page - 1];
    const auto& after = pages[page];
    const auto last = FindTable(before.rbegin(), before.rend());
    const auto first = FindTable(after.begin(), after.end());
    if (last == before.rend() || first == after.end()) continue;
    std::optional<CellMergeQuestion> question = QuestionFor(*last, *first);
    if (!question) continue;
    question->page = page;
    question->block = static_cast<size_t>(first - after.begin());
    questions.push_back(std::move(*question));
  }
  return questions;
}

std::vector<int> ReadCellMergeAnswer(const CellMergeQuestion& question, std::string_view answer) {
  const std::optional<std::string_view> list = FindList(answer);
  const std::optional<std::vector<int>> flags = list ? ParseFlags(*list) : std::nullopt;
  if (!flags || flags->size() != question.columns.size()) return {};
  std::vector<int> merge(static_cast<size_t>(question.columns.back().second), 0);
  for (size_t i = 0; i < flags->size(); ++i) {
    const auto& columns = question.columns[i];
    if ((*flags)[i] == 0) continue;
    std::fill(merge.begin() + columns.first, merge.begin() + columns.second, 1);
  }
  return merge;
}

}  // namespace octavo
