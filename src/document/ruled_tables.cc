#include "document/ruled_tables.h"

#include <algorithm>
#include <cstddef>

#include "document/otsl.h"
#include "document/white_space.h"

namespace octavo {
namespace {

// A rule that spans the rows and belongs to them: not the frame of the whole page.
bool HasRule(const PixelBox& box, double letter_height, const std::vector<PixelBox>& rules) {
  const auto reach = static_cast<int>(3 * letter_height);
  return std::any_of(rules.begin(), rules.end(), [&](const PixelBox& rule) {
    const int common = std::min(rule.x1, box.x1) - std::max(rule.x0, box.x0);
    return 5 * common >= 3 * box.width() && rule.y0 >= box.y0 - reach && rule.y1 <= box.y1 + reach;
  });
}

// The columns: joined stretches of all cells.
std::vector<Cell> FindColumns(const std::vector<TableRow>& rows) {
  std::vector<Cell> cells;
  for (const TableRow& row : rows) {
    cells.insert(cells.end(), row.line->cells.begin(), row.line->cells.end());
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.x0 < b.x0; });
  std::vector<Cell> columns;
  for (const Cell& cell : cells) {
    if (columns.empty() || cell.x0 >= columns.back().x1) columns.push_back(cell);
    columns.back().x1 = std::max(columns.back().x1, cell.x1);
  }
  return columns;
}

}  // namespace

std::string RuledTableHtml(const std::vector<TableRow>& rows, const std::vector<PixelBox>& rules) {
  if (rows.size() < 2) return {};
  PixelBox box = rows.front().line->box;
  for (const TableRow& row : rows) box.Include(row.line->box);
  if (!HasRule(box, rows.front().line->letter_height, rules)) return {};
  const std::vector<Cell> columns = FindColumns(rows);
  if (columns.size() < 2) return {};
  std::string html = "<table>";
  for (const TableRow& row : rows) {
    html += "<tr>";
    size_t c = 0;
    for (const Cell& column : columns) {
      std::string text;
      for (; c < row.line->cells.size() && row.line->cells[c].x0 < column.x1; ++c) {
        const std::string_view part = TrimSpace((*row.texts)[c]);
        if (!text.empty() && !part.empty()) text += ' ';
        text += part;
      }
      html += "<td>" + EscapeHtml(text) + "</td>";
    }
    html += "</tr>";
  }
  return html + "</table>";
}

}  // namespace octavo
