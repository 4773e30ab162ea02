#include "document/ruled_tables.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "document/lists.h"
#include "document/otsl.h"
#include "document/white_space.h"

namespace octavo {
namespace {

using Rows = std::vector<TableRow>;
using Columns = std::vector<Cell>;

bool HasSeveralCells(const TableRow& row) { return row.line->cells.size() > 1; }

PixelBox BoxOfRows(const Rows& rows) {
  PixelBox box = rows.front().line->box;
  for (const TableRow& row : rows) box.Include(row.line->box);
  return box;
}

// A rule that spans the rows and belongs to them: not the frame of the whole page.
bool HasRule(const PixelBox& box, double letter_height, const std::vector<PixelBox>& rules) {
  const auto reach = static_cast<int>(3 * letter_height);
  return std::any_of(rules.begin(), rules.end(), [&](const PixelBox& rule) {
    const int common = std::min(rule.x1, box.x1) - std::max(rule.x0, box.x0);
    return 5 * common >= 3 * box.width() && rule.y0 >= box.y0 - reach && rule.y1 <= box.y1 + reach;
  });
}

// Joined stretches of the cells.
Columns JoinCells(std::vector<Cell> cells) {
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.x0 < b.x0; });
  Columns columns;
  for (const Cell& cell : cells) {
    if (columns.empty() || cell.x0 >= columns.back().x1) columns.push_back(cell);
    columns.back().x1 = std::max(columns.back().x1, cell.x1);
  }
  return columns;
}

size_t CountOverlaps(const Columns& columns, const Cell& cell) {
  return static_cast<size_t>(std::count_if(columns.begin(), columns.end(), [&](const Cell& column) {
    return column.x0 < cell.x1 && cell.x0 < column.x1;
  }));
}

bool IsSpanning(const Columns& columns, const TableRow& row) {
  return std::any_of(row.line->cells.begin(), row.line->cells.end(),
                     [&](const Cell& cell) { return CountOverlaps(columns, cell) > 1; });
}

// Those of the rows with most cells, and of all others whose cells reach over no gap between them.
Columns ColumnsOf(const Rows& rows) {
  std::vector<const LayoutLine*> order;
  for (const TableRow& row : rows) order.push_back(row.line);
  std::stable_sort(order.begin(), order.end(), [](const LayoutLine* a, const LayoutLine* b) {
    return a->cells.size() > b->cells.size();
  });
  Columns columns;
  for (const LayoutLine* line : order) {
    std::vector<Cell> cells = columns;
    cells.insert(cells.end(), line->cells.begin(), line->cells.end());
    Columns joined = JoinCells(std::move(cells));
    if (joined.size() >= columns.size()) columns = std::move(joined);
  }
  return columns;
}

// True if the lines may be the rows of a table whose place the rules give.
bool AreRows(const Rows& rows) {
  const auto num_several = std::count_if(rows.begin(), rows.end(), HasSeveralCells);
  if (num_several < 2 || 2 * num_several < std::ssize(rows)) return false;
  const Columns columns = ColumnsOf(rows);
  const auto num_spanning = std::count_if(
      rows.begin(), rows.end(), [&](const TableRow& row) { return IsSpanning(columns, row); });
  return columns.size() > 1 && 3 * num_spanning <= std::ssize(rows);
}

std::string HtmlOf(const Rows& rows) {
  const Columns columns = ColumnsOf(rows);
  std::string html = "<table>";
  for (const TableRow& row : rows) {
    const std::vector<Cell>& cells = row.line->cells;
    html += "<tr>";
    size_t c = 0;
    for (size_t k = 0; k < columns.size();) {
      std::string text;
      size_t end = k + 1;
      // The last column takes what is left.
      while (c < cells.size() && (end == columns.size() || cells[c].x0 < columns[end - 1].x1)) {
        while (end < columns.size() && columns[end].x0 < cells[c].x1) ++end;
        const std::string_view part = TrimSpace((*row.texts)[c]);
        if (!text.empty() && !part.empty()) text += ' ';
        text += part;
        ++c;
      }
      html += end - k > 1 ? StrCat("<td colspan=\"", end - k, "\">") : std::string("<td>");
      html += EscapeHtml(text) + "</td>";
      k = end;
    }
    html += "</tr>";
  }
  return html + "</table>";
}

// Frames, and what lies between two rules of one width; the largest first.
std::vector<PixelBox> RegionsAround(const PixelBox& line, double letter_height,
                                    const std::vector<PixelBox>& rules) {
  // More rules than tables have are a pattern.
  constexpr size_t kMaxRules = 300;
  constexpr size_t kMaxRegions = 64;
  const double tolerance = letter_height / 4;
  std::vector<PixelBox> regions;
  if (rules.size() > kMaxRules) return regions;
  for (const PixelBox& upper : rules) {
    if (upper.x0 > line.x0 + tolerance || upper.x1 < line.x1 - tolerance) continue;
    if (upper.y0 > line.y0 + tolerance) continue;
    if (upper.y1 >= line.y1 - tolerance) regions.push_back(upper);
    if (upper.height() > letter_height) continue;
    for (const PixelBox& lower : rules) {
      const bool is_lower = lower.y0 >= line.y1 - tolerance && lower.height() <= letter_height;
      const bool is_as_wide = std::abs(lower.x0 - upper.x0) <= letter_height &&
                              std::abs(lower.x1 - upper.x1) <= letter_height;
      if (!is_lower || !is_as_wide) continue;
      regions.push_back(upper);
      regions.back().Include(lower);
    }
  }
  std::sort(regions.begin(), regions.end(),
            [](const PixelBox& a, const PixelBox& b) { return a.height() > b.height(); });
  regions.resize(std::min(regions.size(), kMaxRegions));
  return regions;
}

// 0 for more lines than tables have.
size_t CountLinesIn(const PixelBox& region, std::span<const TableRow> lines) {
  constexpr size_t kMaxRows = 1000;
  size_t count = 0;
  for (; count < lines.size(); ++count) {
    const PixelBox& box = lines[count].line->box;
    const bool is_inside = box.x0 + box.x1 >= 2 * region.x0 && box.x0 + box.x1 <= 2 * region.x1 &&
                           box.y0 + box.y1 >= 2 * region.y0 && box.y0 + box.y1 <= 2 * region.y1;
    if (lines[count].line->is_picture || !is_inside) break;
    if (count == kMaxRows) return 0;
  }
  return count;
}

Rows FirstOf(std::span<const TableRow> lines, size_t count) {
  return {lines.begin(), lines.begin() + static_cast<ptrdiff_t>(count)};
}

// Lines of several cells from the first on.
size_t CountRows(std::span<const TableRow> lines) {
  size_t count = 0;
  while (count < lines.size() && HasSeveralCells(lines[count])) ++count;
  return count;
}

// The columns with the cells of one more line, or none where these close a gap between two.
Columns AddedTo(const Columns& columns, const LayoutLine& line) {
  std::vector<Cell> cells = columns;
  cells.insert(cells.end(), line.cells.begin(), line.cells.end());
  Columns joined = JoinCells(std::move(cells));
  if (joined.size() < columns.size()) return {};
  for (size_t i = 1; i < joined.size(); ++i) {
    if (joined[i].x0 - joined[i - 1].x1 < line.letter_height) return {};
  }
  return joined;
}

// Lines of cells that stand exactly one above another, from the first on.
size_t CountOpenRows(std::span<const TableRow> lines) {
  constexpr double kMaxPitch = 3;  // in letter heights
  size_t count = 0;
  Columns columns;
  for (; count < lines.size() && HasSeveralCells(lines[count]); ++count) {
    const LayoutLine& line = *lines[count].line;
    if (count > 0 && line.box.y1 - lines[count - 1].line->box.y1 > kMaxPitch * line.letter_height) {
      break;
    }
    Columns joined = AddedTo(columns, line);
    if (joined.size() < 2) break;
    columns = std::move(joined);
  }
  return count;
}

// Numbers or bullets, and what they count, far to the right of them.
bool IsListOfItems(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const TableRow& row) {
    const std::string mark = row.texts->front() + " ";
    return row.line->cells.size() == 2 && row.texts->front().size() <= 5 &&
           StartsWithListMark(mark);
  });
}

}  // namespace

std::optional<FoundTable> FindTable(std::span<const TableRow> lines,
                                    const std::vector<PixelBox>& rules) {
  constexpr size_t kMinRows = 2;
  constexpr size_t kMinOpenRows = 3;
  if (lines.empty() || lines.front().line->is_picture) return std::nullopt;
  const LayoutLine& first = *lines.front().line;
  for (const PixelBox& region : RegionsAround(first.box, first.letter_height, rules)) {
    const Rows rows = FirstOf(lines, CountLinesIn(region, lines));
    if (rows.size() < kMinRows || !AreRows(rows)) continue;
    PixelBox box = BoxOfRows(rows);
    box.Include(region);
    return FoundTable{rows.size(), box, HtmlOf(rows)};
  }
  const Rows rows = FirstOf(lines, CountRows(lines));
  if (rows.size() >= kMinRows && HasRule(BoxOfRows(rows), first.letter_height, rules) &&
      ColumnsOf(rows).size() > 1) {
    return FoundTable{rows.size(), BoxOfRows(rows), HtmlOf(rows)};
  }
  const Rows open = FirstOf(lines, CountOpenRows(lines));
  if (open.size() < kMinOpenRows || IsListOfItems(open)) return std::nullopt;
  return FoundTable{open.size(), BoxOfRows(open), HtmlOf(open)};
}

}  // namespace octavo
