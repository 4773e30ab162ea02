#include "document/pipe_rows.h"

#include "document/white_space.h"

namespace octavo {

std::string_view StripPipes(std::string_view line) {
  line = TrimSpace(line);
  if (!line.empty() && line.front() == '|') line.remove_prefix(1);
  if (!line.empty() && line.back() == '|') line.remove_suffix(1);
  return line;
}

std::vector<std::string> SplitPipeRow(std::string_view line, PipeRowRule rule) {
  std::vector<std::string> cells;
  std::string current;
  bool is_escaped = false;
  bool is_in_code = false;
  for (const char c : StripPipes(line)) {
    if (is_escaped) {
      if (c != '|' || rule == PipeRowRule::kKeepCode) current += '\\';
      current += c;
      is_escaped = false;
    } else if (c == '\\') {
      is_escaped = true;
    } else if (c == '|' && !is_in_code) {
      cells.emplace_back(TrimSpace(current));
      current.clear();
    } else {
      if (c == '`' && rule == PipeRowRule::kKeepCode) is_in_code = !is_in_code;
      current += c;
    }
  }
  if (is_escaped) current += '\\';
  cells.emplace_back(TrimSpace(current));
  return cells;
}

bool IsSeparatorCell(std::string_view cell) {
  if (!cell.empty() && cell.front() == ':') cell.remove_prefix(1);
  if (!cell.empty() && cell.back() == ':') cell.remove_suffix(1);
  return cell.size() >= 3 && cell.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace octavo
