#include "document/otsl.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/str_cat.h"
#include "document/white_space.h"

namespace octavo {
namespace {

enum class Kind { kText, kFilled, kEmpty, kLeft, kUp, kBoth, kNewLine };

struct Piece {
  Kind kind;
  std::string_view text;  // kText: the words
};

struct Cell {
  Kind kind = Kind::kEmpty;
  std::string text;
  // An <ecel> with words of its own, which the reference does not join with cells to its right.
  bool is_split = false;
};
using Grid = std::vector<std::vector<Cell>>;

constexpr struct {
  std::string_view name;
  Kind kind;
} kTokens[] = {{"<fcel>", Kind::kFilled}, {"<ecel>", Kind::kEmpty}, {"<lcel>", Kind::kLeft},
               {"<ucel>", Kind::kUp},     {"<xcel>", Kind::kBoth},  {"<nl>", Kind::kNewLine}};
// Positions of a grid; a looping answer does not grow beyond.
constexpr size_t kMaxPositions = 1'000'000;

std::vector<Piece> Cut(std::string_view otsl) {
  std::vector<Piece> pieces;
  size_t text_begin = 0;
  const auto end_text = [&](size_t end) {
    const std::string_view text = otsl.substr(text_begin, end - text_begin);
    if (!IsBlank(text)) pieces.push_back({Kind::kText, text});
  };
  for (size_t i = otsl.find('<'); i != std::string_view::npos;) {
    const auto* token =
        std::find_if(std::begin(kTokens), std::end(kTokens), [&](const auto& candidate) {
          return otsl.substr(i, candidate.name.size()) == candidate.name;
        });
    if (token == std::end(kTokens)) {
      i = otsl.find('<', i + 1);
      continue;
    }
    end_text(i);
    pieces.push_back({token->kind, {}});
    text_begin = i + token->name.size();
    i = otsl.find('<', text_begin);
  }
  end_text(otsl.size());
  return pieces;
}

// Rows of tokens without text; empty rows vanish; all padded to the longest.
Grid TokenGrid(const std::vector<Piece>& pieces) {
  Grid grid;
  std::vector<Cell> row;
  const auto end_row = [&] {
    if (!row.empty()) grid.push_back(std::move(row));
    row.clear();
  };
  for (const Piece& piece : pieces) {
    if (piece.kind == Kind::kText) continue;
    if (piece.kind == Kind::kNewLine) {
      end_row();
    } else {
      row.push_back({piece.kind, {}, false});
    }
  }
  end_row();
  size_t num_columns = 0;
  for (const auto& cells : grid) num_columns = std::max(num_columns, cells.size());
  if (num_columns > 0) grid.resize(std::min(grid.size(), 1 + kMaxPositions / num_columns));
  for (auto& cells : grid) cells.resize(num_columns);
  return grid;
}

// The reference walks the padded grid and the pieces side by side; once they disagree the cursor
// stays where it is and no later cell gets its text.
void AssignTextAsReference(const std::vector<Piece>& pieces, Grid* grid) {
  size_t cursor = 0;
  const auto is_next = [&](Kind kind) {
    return cursor < pieces.size() && pieces[cursor].kind == kind;
  };
  for (auto& row : *grid) {
    for (Cell& cell : row) {
      if (!is_next(cell.kind)) continue;
      ++cursor;
      if (!is_next(Kind::kText)) continue;
      if (cell.kind == Kind::kFilled) cell.text = pieces[cursor].text;
      cell.is_split = cell.kind == Kind::kEmpty;
      ++cursor;
    }
    if (is_next(Kind::kNewLine)) ++cursor;
  }
}

// Every text goes to the last <fcel> or <ecel> before it, or to the first cell of the table.
void AssignTextKeepingAll(const std::vector<Piece>& pieces, Grid* grid) {
  size_t row = 0;
  size_t column = 0;
  Cell* current = nullptr;
  std::string leading;
  for (const Piece& piece : pieces) {
    if (row >= grid->size()) return;
    if (piece.kind == Kind::kText) {
      std::string& text = current != nullptr ? current->text : leading;
      if (!text.empty()) text += ' ';
      text += TrimSpace(piece.text);
      continue;
    }
    if (piece.kind == Kind::kNewLine) {
      if (column > 0) ++row;
      column = 0;
      continue;
    }
    Cell& cell = (*grid)[row][column++];
    if (cell.kind != Kind::kFilled && cell.kind != Kind::kEmpty) continue;
    current = &cell;
    if (!leading.empty()) cell.text = std::move(leading);
    leading.clear();
  }
}

struct Origin {
  size_t row = 0;
  size_t column = 0;
  bool is_set = false;
};

size_t RunRight(const Grid& grid, size_t row, size_t column) {
  size_t length = 0;
  while (column + length < grid[row].size() && (grid[row][column + length].kind == Kind::kLeft ||
                                                grid[row][column + length].kind == Kind::kBoth)) {
    ++length;
  }
  return length;
}

size_t RunDown(const Grid& grid, size_t row, size_t column) {
  size_t length = 0;
  while (row + length < grid.size() && (grid[row + length][column].kind == Kind::kUp ||
                                        grid[row + length][column].kind == Kind::kBoth)) {
    ++length;
  }
  return length;
}

struct Span {
  size_t rows = 1;
  size_t columns = 1;
};

// The cells as rectangles on the grid; where two claim a position the later one has it.
struct Placement {
  std::vector<Span> spans;      // of the cell that begins at a position
  std::vector<Origin> origins;  // of the cell that has a position
};

Placement PlaceCells(const Grid& grid) {
  const size_t num_columns = grid[0].size();
  Placement placement{std::vector<Span>(grid.size() * num_columns),
                      std::vector<Origin>(grid.size() * num_columns)};
  for (size_t r = 0; r < grid.size(); ++r) {
    for (size_t c = 0; c < num_columns; ++c) {
      const Cell& cell = grid[r][c];
      if (cell.kind != Kind::kFilled && cell.kind != Kind::kEmpty) continue;
      Span& span = placement.spans[r * num_columns + c];
      span.columns += cell.is_split ? 0 : RunRight(grid, r, c + 1);
      span.rows += RunDown(grid, r + 1, c);
      for (size_t y = r; y < r + span.rows; ++y) {
        const auto row = placement.origins.begin() + static_cast<ptrdiff_t>(y * num_columns + c);
        std::fill_n(row, span.columns, Origin{r, c, true});
      }
    }
  }
  return placement;
}

std::string CellHtml(const Span& span, std::string_view text) {
  std::string html = "<td";
  if (span.rows > 1) html += StrCat(" rowspan=\"", span.rows, "\"");
  if (span.columns > 1) html += StrCat(" colspan=\"", span.columns, "\"");
  return html + ">" + EscapeHtml(TrimSpace(text)) + "</td>";
}

std::string ToHtml(const Grid& grid) {
  const size_t num_columns = grid[0].size();
  const Placement placement = PlaceCells(grid);
  // Marks that continue cells, but none to be continued.
  if (std::none_of(placement.origins.begin(), placement.origins.end(),
                   [](const Origin& origin) { return origin.is_set; })) {
    return {};
  }
  std::string html = "<table>";
  for (size_t r = 0; r < grid.size(); ++r) {
    html += "<tr>";
    for (size_t c = 0; c < num_columns; ++c) {
      const size_t position = r * num_columns + c;
      const Origin& origin = placement.origins[position];
      if (!origin.is_set) html += "<td></td>";
      if (!origin.is_set || origin.row != r || origin.column != c) continue;
      html += CellHtml(placement.spans[position], grid[r][c].text);
    }
    html += "</tr>";
  }
  return html + "</table>";
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#x27;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string OtslToHtml(std::string_view otsl, OtslRule rule) {
  if (rule == OtslRule::kKeepText) otsl = TrimSpace(otsl);
  constexpr std::string_view kClose = "</table>";
  if (otsl.substr(0, 6) == "<table" && otsl.size() >= kClose.size() &&
      otsl.substr(otsl.size() - kClose.size()) == kClose) {
    return std::string(otsl);
  }
  const std::vector<Piece> pieces = Cut(otsl);
  Grid grid = TokenGrid(pieces);
  if (grid.empty()) return {};
  if (rule == OtslRule::kReference) {
    AssignTextAsReference(pieces, &grid);
  } else {
    AssignTextKeepingAll(pieces, &grid);
  }
  return ToHtml(grid);
}

}  // namespace octavo
