#include "document/chart_repair.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "document/pipe_rows.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

using Row = std::vector<std::string>;

// Cells of a line with a pipe, trimmed; pipes that are escaped or in back quotes do not split.
std::optional<Row> SplitRow(std::string_view line) {
  if (line.find('|') == std::string_view::npos) return std::nullopt;
  return SplitPipeRow(line, PipeRowRule::kKeepCode);
}

bool IsSeparator(const Row& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const std::string& cell) {
    return IsSeparatorCell(ReplaceAll(cell, " ", ""));
  });
}

bool IsSeparatorLine(std::string_view line) {
  const std::optional<Row> cells = SplitRow(line);
  return cells && IsSeparator(*cells);
}

// The text is some part of it twice or more often.
bool IsWholeRepeated(std::string_view content) {
  constexpr size_t kMinChars = 80;
  const std::string text = CollapseSpace(content);
  if (CountChars(text) < kMinChars) return false;
  // Longest proper prefix that is a suffix too, for every prefix.
  std::vector<size_t> border(text.size(), 0);
  for (size_t i = 1; i < text.size(); ++i) {
    size_t length = border[i - 1];
    while (length > 0 && text[i] != text[length]) length = border[length - 1];
    border[i] = length + (text[i] == text[length] ? 1 : 0);
  }
  const size_t period = text.size() - border.back();
  return period < text.size() && text.size() % period == 0;
}

bool IsAlnum(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool HasCharacterRun(std::string_view content) {
  constexpr size_t kMinRun = 20;
  size_t run = 0;
  for (size_t i = 0; i < content.size(); ++i) {
    if (!IsAlnum(content[i])) {
      run = 0;
      continue;
    }
    run = i > 0 && content[i] == content[i - 1] ? run + 1 : 1;
    if (run >= kMinRun) return true;
  }
  return false;
}

bool IsNoisyCell(std::string_view cell) {
  constexpr size_t kMaxChars = 300;
  constexpr size_t kMaxDoubleColons = 20;
  constexpr size_t kMaxSemicolons = 30;
  constexpr size_t kMinFragmentChars = 3;
  constexpr int kMaxFragmentRepeats = 8;
  if (CountChars(cell) > kMaxChars || CountOf(cell, "::") > kMaxDoubleColons ||
      CountOf(cell, ";") > kMaxSemicolons) {
    return true;
  }
  std::map<std::string, int> counts;
  size_t begin = 0;
  for (size_t i = 0; i <= cell.size(); ++i) {
    const bool is_double_colon = cell.substr(i, 2) == "::";
    const bool is_end = i == cell.size() || cell[i] == ';' || cell[i] == ',' || cell[i] == '|';
    if (!is_end && !is_double_colon) continue;
    const std::string fragment = LowerAscii(CollapseSpace(cell.substr(begin, i - begin)));
    if (CountChars(fragment) >= kMinFragmentChars && ++counts[fragment] >= kMaxFragmentRepeats) {
      return true;
    }
    if (is_double_colon) ++i;
    begin = i + 1;
  }
  return false;
}

bool IsNoisyRow(const Row& cells) {
  return !IsSeparator(cells) && std::any_of(cells.begin(), cells.end(), IsNoisyCell);
}

bool HasNoisyCell(const std::vector<std::string_view>& lines) {
  bool is_in_table = false;
  bool is_in_body = false;
  for (const std::string_view line : lines) {
    const std::optional<Row> row = SplitRow(line);
    if (!row) {
      is_in_table = false;
      is_in_body = false;
    } else if (!is_in_table) {
      is_in_table = true;
    } else if (!is_in_body) {
      is_in_body = IsSeparator(*row);
    } else if (std::any_of(row->begin(), row->end(), IsNoisyCell)) {
      return true;
    }
  }
  return false;
}

bool HasRepeatedLine(std::string_view content) {
  constexpr size_t kLongChars = 30;
  while (!content.empty() && content.front() == '\n') content.remove_prefix(1);
  while (!content.empty() && content.back() == '\n') content.remove_suffix(1);
  std::map<std::string_view, int> counts;
  std::string_view previous;
  int run = 0;
  for (const std::string_view line : SplitLines(content)) {
    const std::string_view text = TrimSpace(line);
    run = text == previous ? run + 1 : 1;
    previous = text;
    if (text.empty()) continue;
    const bool is_long = CountChars(text) >= kLongChars;
    if (run >= 3 || (run >= 2 && is_long)) return true;
    if (is_long && !IsSeparatorLine(text) && ++counts[text] >= 4) return true;
  }
  return false;
}

// The next word (letters and digits, joined by - _ . /) or single character, in lower case.
std::string TakeToken(std::string_view* text) {
  size_t length = 0;
  while (length < text->size() && IsAlnum((*text)[length])) ++length;
  while (length > 0 && length + 1 < text->size() &&
         std::string_view("-_./").find((*text)[length]) != std::string_view::npos &&
         IsAlnum((*text)[length + 1])) {
    ++length;
    while (length < text->size() && IsAlnum((*text)[length])) ++length;
  }
  if (length == 0) length = static_cast<size_t>(DecodeUtf8(*text).num_bytes);
  std::string token = LowerAscii(text->substr(0, length));
  text->remove_prefix(length);
  return token;
}

bool HasRepeatedToken(const std::vector<std::string_view>& lines) {
  constexpr int kMaxRun = 8;
  std::string previous;
  int run = 0;
  for (std::string_view rest : lines) {
    if (IsSeparatorLine(rest)) continue;
    while (!(rest = TrimSpace(rest)).empty()) {
      std::string token = TakeToken(&rest);
      run = token == previous ? run + 1 : 1;
      if (run >= kMaxRun) return true;
      previous = std::move(token);
    }
  }
  return false;
}

bool LooksRepeated(std::string_view content) {
  const std::vector<std::string_view> lines = SplitLines(content);
  return content.find("\\|") != std::string_view::npos ||
         content.find("\n\n\n\n\n") != std::string_view::npos || IsWholeRepeated(content) ||
         HasCharacterRun(content) || HasNoisyCell(lines) || HasRepeatedLine(content) ||
         HasRepeatedToken(lines);
}

// Full-width and broken bars count as pipes, escaped ones too.
std::optional<Row> SplitLooseRow(std::string_view line) {
  std::string loose = ReplaceAll(TrimSpace(line), "\xEF\xBD\x9C", "|");
  loose = ReplaceAll(ReplaceAll(loose, "\xC2\xA6", "|"), "\\|", "|");
  std::optional<Row> cells = SplitRow(loose);
  return cells && cells->size() >= 2 ? cells : std::nullopt;
}

// Runs of lines that are rows; noisy rows behind a separator are left out.
std::vector<std::vector<Row>> FindBlocks(std::string_view content) {
  std::vector<std::vector<Row>> blocks;
  std::vector<Row> current;
  bool has_separator = false;
  const auto end_block = [&] {
    if (!current.empty()) blocks.push_back(std::move(current));
    current.clear();
    has_separator = false;
  };
  for (const std::string_view line : SplitLines(content)) {
    std::optional<Row> cells = SplitLooseRow(line);
    if (!cells) {
      end_block();
      continue;
    }
    if (has_separator && IsNoisyRow(*cells)) continue;
    if (!current.empty() && !has_separator) has_separator = IsSeparator(*cells);
    current.push_back(std::move(*cells));
  }
  end_block();
  return blocks;
}

std::string FormatRow(const Row& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) {
    std::string clean = CollapseSpace(cell);
    if (std::count(clean.begin(), clean.end(), '`') % 2 == 1) clean += '`';
    out += StrCat(" ", ReplaceAll(clean, "|", "\\|"), " |");
  }
  return out;
}

struct Table {
  std::string text;
  size_t num_lines = 0;
  size_t num_columns = 0;
};

// A header and rows of the same width in normal form; nothing if they do not read back so.
std::optional<Table> Format(const Row& header, const std::vector<const Row*>& rows) {
  const Row separator(header.size(), "---");
  Table table{StrCat(FormatRow(header), "\n", FormatRow(separator)), rows.size() + 2, 0};
  for (const Row* row : rows) table.text += StrCat("\n", FormatRow(*row));
  for (const std::string_view line : SplitLines(table.text)) {
    const std::optional<Row> cells = SplitRow(line);
    if (!cells) return std::nullopt;
    if (table.num_columns == 0) table.num_columns = cells->size();
    if (cells->size() != header.size() || cells->size() != table.num_columns) return std::nullopt;
  }
  return table;
}

class LargestTable {
 public:
  // The rows behind a separator that are as wide as the header before it.
  void TrySeparator(const std::vector<Row>& rows, size_t separator) {
    if (separator == 0) return;
    const Row& header = rows[separator - 1];
    if (header.size() < 2 || IsSeparator(header)) return;
    std::vector<const Row*> body;
    for (size_t i = separator + 1; i < rows.size(); ++i) {
      if (IsSeparator(rows[i]) || rows[i].size() != header.size()) break;
      body.push_back(&rows[i]);
    }
    if (!body.empty()) Take(Format(header, body));
  }

  // Every run of rows of the same width, the first as header.
  void TryRuns(const std::vector<Row>& rows) {
    for (size_t i = 0; i < rows.size();) {
      if (IsSeparator(rows[i]) || rows[i].size() < 2) {
        ++i;
        continue;
      }
      size_t end = i + 1;
      std::vector<const Row*> body;
      while (end < rows.size() && !IsSeparator(rows[end]) && rows[end].size() == rows[i].size()) {
        body.push_back(&rows[end++]);
      }
      if (!body.empty()) Take(Format(rows[i], body));
      i = end;
    }
  }

  std::string text() const { return best_ ? best_->text : std::string(); }

 private:
  static auto Score(const Table& table) {
    return std::make_tuple(table.num_lines, table.num_columns, CountChars(table.text));
  }
  void Take(std::optional<Table> table) {
    if (table && (!best_ || Score(*table) > Score(*best_))) best_ = std::move(table);
  }

  std::optional<Table> best_;
};

}  // namespace

std::string RepairChart(std::string_view content) {
  if (!LooksRepeated(content)) return std::string(content);
  LargestTable largest;
  for (const std::vector<Row>& rows : FindBlocks(content)) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (IsSeparator(rows[i])) largest.TrySeparator(rows, i);
    }
    largest.TryRuns(rows);
  }
  const std::string table = largest.text();
  return table.empty() ? std::string(content) : table;
}

}  // namespace octavo
