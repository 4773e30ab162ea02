// LegalizeMermaidNames of document/mermaid_repair.h.
#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "document/mermaid_repair.h"
#include "document/mermaid_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Letters and digits of the words, the second and later words capitalized: "Top layer" to
// "TopLayer".
std::string NameFromWords(std::string_view words) {
  std::string name;
  bool is_first_word = true;
  bool begins_word = true;
  for (const char c : words) {
    if (!IsDigit(c) && !IsLower(c) && !IsUpper(c)) {
      begins_word = true;
      continue;
    }
    if (begins_word && !name.empty()) is_first_word = false;
    if (is_first_word || IsDigit(c)) {
      name += c;
    } else if (begins_word) {
      name += IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    } else {
      name += IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    begins_word = false;
  }
  if (name.empty()) {
    std::copy_if(words.begin(), words.end(), std::back_inserter(name),
                 [](char c) { return c == '_'; });
  }
  if (name.empty()) name = "node";
  return IsDigit(name.front()) ? "n" + name : name;
}

// Walks over a statement and calls `at` at each position outside quotes, brackets and |labels|.
// `at` returns how many bytes it took there; 0: none.
template <typename F>
void WalkTopLevel(std::string_view text, F at) {
  bool is_quoted = false;
  bool is_in_label = false;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      depth = std::max(0, depth - 1);
    } else if (c == '|' && depth == 0) {
      is_in_label = !is_in_label;
    } else if (depth == 0 && !is_in_label) {
      const size_t taken = at(i);
      if (taken > 0) i += taken - 1;
    }
  }
}

std::vector<std::string_view> SplitTopLevel(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  WalkTopLevel(text, [&](size_t i) {
    if (text.substr(i, mark.size()) != mark) return size_t{0};
    parts.push_back(text.substr(begin, i - begin));
    begin = i + mark.size();
    return mark.size();
  });
  parts.push_back(text.substr(begin));
  return parts;
}

class NameTable {
 public:
  void Declare(std::string_view name) { declared_.emplace(name); }

  // An end of an edge, with a name in place of words.
  std::string Convert(std::string_view endpoint) {
    std::string words(TrimSpace(endpoint));
    if (words.find_first_of("[](){}\"|") != std::string::npos) return words;
    if (words.empty() || IsIdentifier(words)) return words;
    const auto found = names_.find(words);
    std::string name = found != names_.end() ? found->second : NewName(words);
    if (!declared_.insert(name).second) return name;
    return name + "[\"" + words + "\"]";
  }

 private:
  std::string NewName(const std::string& words) {
    const std::string base = NameFromWords(words);
    std::string name = base;
    for (int number = 2; declared_.count(name) > 0 || given_.count(name) > 0; ++number) {
      name = base + std::to_string(number);
    }
    names_.emplace(words, name);
    given_.insert(name);
    return name;
  }

  std::set<std::string, std::less<>> declared_;  // have a label of their own somewhere
  std::map<std::string, std::string> names_;
  std::set<std::string> given_;
};

// " -->|label| name" or " --> name".
std::string ConvertTarget(std::string_view part, NameTable* names) {
  part = TrimSpace(part);
  if (!part.empty() && part.front() == '|') {
    for (size_t close = part.find('|', 1); close != std::string_view::npos;
         close = part.find('|', close + 1)) {
      if (close + 1 >= part.size()) break;
      std::string label = ReplaceAll(ReplaceAll(part.substr(1, close - 1), "(", ""), ")", "");
      while (label.find("  ") != std::string::npos) label = ReplaceAll(label, "  ", " ");
      return " -->|" + std::string(TrimSpace(label)) + "| " +
             names->Convert(part.substr(close + 1));
    }
  }
  const std::string target = names->Convert(part);
  const bool has_label = !target.empty() && target.front() == '|';
  return (has_label ? " -->" : " --> ") + target;
}

std::string ConvertStatement(std::string_view statement, NameTable* names) {
  statement = TrimSpace(statement);
  if (statement.substr(0, 2) == "%%") return std::string(statement);
  const std::vector<std::string_view> parts = SplitTopLevel(statement, kMermaidArrow);
  if (parts.size() < 2) return std::string(statement);
  std::string out = names->Convert(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) out += ConvertTarget(parts[i], names);
  return out;
}

std::string ConvertLine(std::string_view line, NameTable* names) {
  std::vector<std::string_view> statements = SplitTopLevel(line, ";");
  const bool ends_with_mark = statements.size() > 1 && IsBlank(statements.back());
  std::string out;
  for (const std::string_view statement : statements) {
    if (IsBlank(statement)) continue;
    out += (out.empty() ? "  " : "; ") + ConvertStatement(statement, names);
  }
  if (out.empty()) return std::string(line);
  return out + (ends_with_mark ? ";" : "");
}

}  // namespace

std::string LegalizeMermaidNames(std::string_view content) {
  const std::vector<std::string_view> lines = SplitLines(content);
  NameTable names;
  for (const std::string_view line : lines) {
    std::string_view rest = TrimSpace(line);
    const std::string_view name = rest.substr(0, IdentifierLength(rest));
    rest.remove_prefix(name.size());
    rest.remove_prefix(SpaceLength(rest));
    const bool has_bracket =
        !rest.empty() && std::string_view("[({").find(rest.front()) != std::string_view::npos;
    if (!name.empty() && has_bracket) names.Declare(name);
  }
  std::vector<std::string> out;
  for (const std::string_view line : lines) {
    const bool is_edge = line.find(kMermaidArrow) != std::string_view::npos &&
                         TrimSpace(line).substr(0, 2) != "%%" && !HasDoubleArrow(line);
    out.push_back(is_edge ? ConvertLine(line, &names) : std::string(line));
  }
  return JoinLines(out, content);
}

}  // namespace octavo
