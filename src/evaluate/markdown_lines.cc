#include "evaluate/markdown_lines.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "evaluate/html_scan.h"

namespace octavo {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trim(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlankAt(std::string_view text, size_t at) {
  return at >= text.size() || text[at] == ' ' || text[at] == '\t';
}

// A thematic break or the underline of a heading: three or more of one mark, blanks between.
bool IsRule(std::string_view line) {
  if (line.empty() || std::string_view("-=*_").find(line.front()) == std::string_view::npos) {
    return false;
  }
  const char mark = line.front();
  size_t count = 0;
  for (const char c : line) {
    if (c == mark) {
      ++count;
    } else if (c != ' ' && c != '\t') {
      return false;
    }
  }
  return count >= 3;
}

// Length of a heading's marks with the blank behind them; 0: none.
size_t HeadingMark(std::string_view line) {
  const size_t count = std::min(line.size(), line.find_first_not_of('#'));
  if (count == 0 || count > 6 || !IsBlankAt(line, count)) return 0;
  return std::min(line.size(), count + 1);
}

// Length of a bullet or number with the blank behind it; 0: none. REQUIRES: !line.empty().
size_t ListMark(std::string_view line, bool is_in_paragraph) {
  if (std::string_view("-*+").find(line[0]) != std::string_view::npos) {
    return IsBlankAt(line, 1) ? std::min<size_t>(line.size(), 2) : 0;
  }
  size_t digits = 0;
  while (digits < line.size() && IsDigit(line[digits])) ++digits;
  if (digits == 0 || digits > 9 || digits + 1 >= line.size()) return 0;
  if ((line[digits] != '.' && line[digits] != ')') || !IsBlankAt(line, digits + 1)) return 0;
  if (is_in_paragraph && line.substr(0, digits) != "1") return 0;
  return digits + 2;
}

bool IsFence(std::string_view line) {
  return line.substr(0, 3) == "```" || line.substr(0, 3) == "~~~";
}

// Cells of a line with pipes, which need not stand at its ends. "\|" is no border.
std::vector<std::string> PipeCells(std::string_view line) {
  line = Trim(line);
  if (!line.empty() && line.front() == '|') line.remove_prefix(1);
  std::vector<std::string> cells(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += '|';
      ++i;
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  if (cells.size() > 1 && Trim(cells.back()).empty()) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(Trim(cell));
  return cells;
}

// "|---|:-:|", the second line of a table of pipes.
bool IsDelimiterRow(std::string_view line) {
  line = Trim(line);
  return line.find('|') != std::string_view::npos && line.find('-') != std::string_view::npos &&
         line.find_first_not_of("|-: \t") == std::string_view::npos;
}

bool HasPipe(std::string_view line) { return line.find('|') != std::string_view::npos; }

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.size(), text.find('\n'));
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

size_t CountOf(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

class LineReader {
 public:
  explicit LineReader(std::string_view markdown) : lines_(SplitLines(markdown)) {}

  std::vector<MarkdownPiece> Read() {
    for (size_t i = 0; i < lines_.size();) i = ReadFrom(i);
    return std::move(pieces_);
  }

 private:
  std::string& Text(bool is_literal) {
    if (pieces_.empty() || pieces_.back().is_literal != is_literal) {
      pieces_.push_back({is_literal, {}});
    }
    return pieces_.back().text;
  }
  void Add(std::string_view line, bool is_literal = false) {
    std::string& text = Text(is_literal);
    text += line;
    text += '\n';
  }

  // Reads line i, or the table that begins there; returns the line that follows.
  size_t ReadFrom(size_t i) {
    const std::string_view line = Trim(lines_[i]);
    if (IsFence(line) && !is_in_math_ && table_depth_ == 0) {
      is_in_code_ = !is_in_code_;
      is_in_paragraph_ = false;
      return i + 1;
    }
    if (is_in_code_) {
      Add(lines_[i], true);
      return i + 1;
    }
    if (is_in_math_ || table_depth_ > 0) {
      Add(line);
    } else if (HasPipe(line) && i + 1 < lines_.size() && IsDelimiterRow(lines_[i + 1])) {
      return ReadPipeTable(i);
    } else {
      AddTextLine(line);
    }
    Follow(line);
    return i + 1;
  }

  void AddTextLine(std::string_view line) {
    while (!line.empty() && line.front() == '>') line = Trim(line.substr(1));
    if (line.empty() || IsRule(line)) {
      is_in_paragraph_ = false;
      Add("");
      return;
    }
    const size_t list_mark = ListMark(line, is_in_paragraph_ && !is_in_list_);
    is_in_list_ = list_mark > 0 || (is_in_list_ && is_in_paragraph_);
    line = Trim(line.substr(list_mark));
    const size_t heading_mark = HeadingMark(line);
    line.remove_prefix(heading_mark);
    if (heading_mark > 0) line = WithoutClosingMarks(line);
    is_in_paragraph_ = heading_mark == 0;
    // Emphasis does not reach from one item or heading into the next.
    if (list_mark + heading_mark > 0) Add("");
    Add(line);
    if (heading_mark > 0) Add("");
  }

  // "Title ##": marks may close a heading.
  static std::string_view WithoutClosingMarks(std::string_view line) {
    const size_t last = line.find_last_not_of("# \t");
    const std::string_view rest = last == std::string_view::npos ? line : line.substr(last + 1);
    if (rest.empty() || rest.front() == '#') return line;
    return line.substr(0, line.size() - rest.size());
  }

  // Whether the next line is still inside a display formula or an HTML table.
  void Follow(std::string_view line) {
    if (CountOf(line, "$$") % 2 == 1) is_in_math_ = !is_in_math_;
    if (line.empty()) is_in_math_ = false;  // no formula has a blank line, so it was none
    const size_t opened = CountOf(line, "<table");
    const size_t closed = CountOf(line, "</table");
    table_depth_ = table_depth_ + opened - std::min(closed, table_depth_ + opened);
    if (is_in_math_ || table_depth_ > 0) is_in_paragraph_ = false;
  }

  size_t ReadPipeTable(size_t i) {
    std::string html = "<table>";
    const size_t delimiter_row = i + 1;
    for (; i < lines_.size() && HasPipe(lines_[i]); ++i) {
      if (i == delimiter_row) continue;
      html += "<tr>";
      for (const std::string& cell : PipeCells(lines_[i])) {
        html += "<td>" + EscapeForHtml(cell) + "</td>";
      }
      html += "</tr>";
    }
    Add("");
    Add(html + "</table>");
    is_in_paragraph_ = false;
    is_in_list_ = false;
    return i;
  }

  const std::vector<std::string_view> lines_;
  std::vector<MarkdownPiece> pieces_;
  bool is_in_code_ = false;
  bool is_in_math_ = false;
  bool is_in_paragraph_ = false;
  bool is_in_list_ = false;
  size_t table_depth_ = 0;
};

}  // namespace

std::vector<MarkdownPiece> RemoveLineMarks(std::string_view markdown) {
  return LineReader(markdown).Read();
}

}  // namespace octavo
