#include "document/table_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "document/markdown_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr size_t kMaxHeaderRows = 5;

int ColumnSpan(const HtmlNode& cell) { return SpanOf(cell, "colspan", kMaxTableColumns); }
int RowSpan(const HtmlNode& cell) { return SpanOf(cell, "rowspan", kMaxTableRowSpan); }

std::string WithoutSpace(const HtmlNode& cell) {
  return ReplaceAll(CollapseSpace(FoldFullWidthForms(TextOf(cell))), " ", "");
}

bool HaveEqualTexts(const std::vector<HtmlNode*>& a, const std::vector<HtmlNode*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto* x, auto* y) { return WithoutSpace(*x) == WithoutSpace(*y); });
}

bool HaveEqualSpans(const std::vector<HtmlNode*>& a, const std::vector<HtmlNode*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](auto* x, auto* y) {
    return ColumnSpan(*x) == ColumnSpan(*y) && RowSpan(*x) == RowSpan(*y);
  });
}

// How many rows at the beginning `is_same` holds for.
template <typename F>
size_t CountSameRows(const TableRows& first, const TableRows& second, F is_same) {
  const size_t limit = std::min({first.rows().size(), second.rows().size(), kMaxHeaderRows});
  size_t count = 0;
  while (count < limit && is_same(count)) ++count;
  return count;
}

}  // namespace

std::vector<HtmlNode*> CellsOf(HtmlNode& row) { return FindAll(row, {"td", "th"}); }

TableRows::TableRows(HtmlNode& tree) : rows_(FindAll(tree, {"tr"})) {
  std::vector<std::vector<Reach>> reaches(kMaxTableColumns);  // by column, the latest last
  for (size_t r = 0; r < rows_.size(); ++r) {
    const int row = static_cast<int>(r);
    for (auto& reach : reaches) {
      reach.erase(std::remove_if(reach.begin(), reach.end(),
                                 [row](const Reach& one) { return one.until <= row; }),
                  reach.end());
    }
    RowColumns columns{r, 0, 0};
    size_t column = 0;
    int number = 0;
    for (const HtmlNode* cell : CellsOf(*rows_[r])) {
      while (column < reaches.size() && !reaches[column].empty()) ++column;
      const auto width = static_cast<size_t>(ColumnSpan(*cell));
      columns.actual += static_cast<int>(width);
      const size_t end = std::min(column + width, reaches.size());
      for (; column < end; ++column) {
        reaches[column].push_back({row + RowSpan(*cell), {row, number}});
      }
      ++number;
    }
    std::vector<Source> sources;
    for (size_t c = 0; c < reaches.size(); ++c) {
      if (reaches[c].empty()) continue;
      sources.resize(c + 1);
      sources[c] = reaches[c].back().source;
    }
    columns.effective = static_cast<int>(sources.size());
    num_columns_ = std::max(num_columns_, columns.effective);
    columns_.push_back(columns);
    sources_.push_back(std::move(sources));
  }
}

std::optional<RowColumns> TableRows::LastRow() const {
  for (size_t r = rows_.size(); r-- > 0;) {
    if (!CellsOf(*rows_[r]).empty()) return columns_[r];
  }
  return std::nullopt;
}

std::vector<RowSegment> TableRows::SegmentsOf(size_t row) const {
  std::vector<RowSegment> segments;
  const std::vector<Source>& sources = sources_[row];
  for (size_t c = 0; c < sources.size();) {
    size_t end = c + 1;
    while (end < sources.size() && sources[end] == sources[c]) ++end;
    if (sources[c].row >= 0) {
      const auto cells = CellsOf(*rows_[static_cast<size_t>(sources[c].row)]);
      const std::string text = TextOf(*cells[static_cast<size_t>(sources[c].cell)]);
      segments.push_back(
          {FoldFullWidthForms(TrimSpace(text)), static_cast<int>(c), static_cast<int>(end)});
    }
    c = end;
  }
  return segments;
}

size_t CountRepeatedHeaders(const TableRows& first, const TableRows& second) {
  const size_t exact = CountSameRows(first, second, [&](size_t r) {
    const auto a = CellsOf(*first.rows()[r]);
    const auto b = CellsOf(*second.rows()[r]);
    return first.columns()[r].effective == second.columns()[r].effective && HaveEqualSpans(a, b) &&
           HaveEqualTexts(a, b);
  });
  if (exact > 0) return exact;
  // Spans may have been read differently; what shows must then be the same.
  return CountSameRows(first, second, [&](size_t r) {
    return HaveEqualTexts(CellsOf(*first.rows()[r]), CellsOf(*second.rows()[r])) &&
           first.SegmentsOf(r).size() == second.SegmentsOf(r).size();
  });
}

size_t ExtendHeadersBySpans(const TableRows& table, size_t count) {
  count = std::min(count, table.rows().size());
  for (size_t r = 0; r < count; ++r) {
    for (const HtmlNode* cell : CellsOf(*table.rows()[r])) {
      count = std::max(count, r + static_cast<size_t>(RowSpan(*cell)));
    }
    count = std::min(count, table.rows().size());
  }
  return count;
}

bool FitTogether(const TableRows& first, const Bbox& first_box, const TableRows& second,
                 const Bbox& second_box) {
  constexpr double kMaxDifference = 0.1;
  const double a = first_box[2] - first_box[0];
  const double b = second_box[2] - second_box[0];
  if (a > 0 && b > 0 && std::abs(a - b) / std::min(a, b) >= kMaxDifference) return false;
  if (first.num_columns() == second.num_columns()) return true;
  const std::optional<RowColumns> last = first.LastRow();
  const size_t row = ExtendHeadersBySpans(second, CountRepeatedHeaders(first, second));
  if (!last || row > kMaxHeaderRows || row >= second.rows().size()) return false;
  const RowColumns& next = second.columns()[row];
  return last->effective == next.effective || last->actual == next.actual ||
         first.SegmentsOf(last->row).size() == second.SegmentsOf(row).size();
}

}  // namespace octavo
