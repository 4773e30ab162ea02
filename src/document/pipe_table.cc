#include "document/pipe_table.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/str_cat.h"
#include "document/otsl.h"
#include "document/pipe_rows.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

// Pipes are counted whether escaped or not.
size_t CountColumns(std::string_view line) {
  const std::string_view inside = StripPipes(line);
  return static_cast<size_t>(std::count(inside.begin(), inside.end(), '|')) + 1;
}

bool IsSeparator(std::string_view line) {
  std::string_view inside = StripPipes(line);
  if (inside.find('|') == std::string_view::npos) return false;
  while (true) {
    const size_t pipe = inside.find('|');
    if (!IsSeparatorCell(TrimSpace(inside.substr(0, pipe)))) return false;
    if (pipe == std::string_view::npos) return true;
    inside.remove_prefix(pipe + 1);
  }
}

bool IsRow(std::string_view line) {
  const std::string_view trimmed = TrimSpace(line);
  return trimmed.find('|') != std::string_view::npos && CountColumns(trimmed) >= 2;
}

std::vector<std::string> SplitRow(std::string_view line) {
  return SplitPipeRow(line, PipeRowRule::kUnescape);
}

std::string RowHtml(const std::vector<std::string>& cells, const char* tag) {
  std::string html = "<tr>";
  for (const std::string& cell : cells) {
    html += StrCat("<", tag, ">", EscapeHtml(cell), "</", tag, ">");
  }
  return html + "</tr>";
}

}  // namespace

std::optional<std::string> PipeTableToHtml(std::string_view content) {
  const std::vector<std::string_view> lines = SplitLines(TrimSpace(content));
  if (lines.size() < 2 || std::any_of(lines.begin(), lines.end(), IsBlank)) return std::nullopt;
  if (!IsRow(lines[0]) || !IsSeparator(lines[1])) return std::nullopt;
  const std::vector<std::string> header = SplitRow(lines[0]);
  if (header.size() < 2 || SplitRow(lines[1]).size() != header.size()) return std::nullopt;
  std::string html = "<table>" + RowHtml(header, "th");
  for (size_t i = 2; i < lines.size(); ++i) {
    const std::vector<std::string> cells = SplitRow(lines[i]);
    if (!IsRow(lines[i]) || cells.size() != header.size()) return std::nullopt;
    html += RowHtml(cells, "td");
  }
  return html + "</table>";
}

bool HasMalformedPipeTable(std::string_view content) {
  const std::vector<std::string_view> lines = SplitLines(content);
  bool has_table = false;
  for (size_t separator = 0; separator < lines.size(); ++separator) {
    if (!IsSeparator(lines[separator])) continue;
    size_t header = separator;
    while (header > 0 && IsBlank(lines[header - 1])) --header;
    if (header == 0 || !IsRow(lines[header - 1])) return true;
    const size_t num_columns = CountColumns(lines[header - 1]);
    if (CountColumns(lines[separator]) != num_columns) return true;
    for (size_t i = separator + 1; i < lines.size() && IsRow(lines[i]); ++i) {
      if (CountColumns(lines[i]) != num_columns) return true;
    }
    has_table = true;
  }
  return !has_table && std::count_if(lines.begin(), lines.end(), IsRow) >= 2;
}

}  // namespace octavo
