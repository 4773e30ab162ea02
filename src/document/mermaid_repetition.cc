#include "document/mermaid_repetition.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "document/mermaid_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr int kMaxRun = 8;
constexpr int kMaxSameLines = 20;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Backslashes before an "n", and <br>, become line feeds.
std::string UnescapeLineFeeds(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find_first_not_of('\\', i), text.size());
    if (end > i && end < text.size() && text[end] == 'n') {
      out += '\n';
      i = end + 1;
      continue;
    }
    if (end > i) {
      out += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (LowerAscii(text.substr(i, 3)) == "<br") {
      size_t close = i + 3 + SpaceLength(text.substr(i + 3));
      if (close < text.size() && text[close] == '/') ++close;
      if (close < text.size() && text[close] == '>') {
        out += '\n';
        i = close + 1;
        continue;
      }
    }
    out += text[i++];
  }
  return out;
}

// Eight equal lines in a row, or twenty in all.
bool HasRepeatedLines(const std::vector<std::string>& lines) {
  std::map<std::string_view, int> counts;
  int run = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    run = i > 0 && lines[i] == lines[i - 1] ? run + 1 : 1;
    if (run >= kMaxRun || ++counts[lines[i]] >= kMaxSameLines) return true;
  }
  return false;
}

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }

// A name of more than 128 characters, or with one pair of letters eight times.
bool IsRepetitiveName(std::string_view name) {
  constexpr size_t kMaxChars = 128;
  constexpr size_t kMinLetterRun = 8;
  if (CountChars(name) > kMaxChars) return true;
  std::map<std::string_view, int> counts;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (!IsUpper(name[i]) || !IsLetter(name[i + 1])) continue;
    ++counts[name.substr(i, 2)];
    ++i;
  }
  if (counts.empty()) {
    size_t begin = 0;
    for (size_t end = 0; end <= name.size(); ++end) {
      if (end < name.size() && IsLetter(name[end])) continue;
      for (size_t i = begin; end - begin >= kMinLetterRun && i + 1 < end; ++i) {
        ++counts[name.substr(i, 2)];
      }
      begin = end + 1;
    }
  }
  return std::any_of(counts.begin(), counts.end(),
                     [](const auto& count) { return count.second >= kMaxRun; });
}

bool IsRepetitiveLabel(std::string_view raw) {
  constexpr size_t kLongChars = 2000;
  const std::string label = UnescapeLineFeeds(raw);
  std::vector<std::string> lines;
  for (const std::string_view line : SplitLines(label)) {
    if (!IsBlank(line)) lines.emplace_back(TrimSpace(line));
  }
  if (lines.empty()) return false;
  if (HasRepeatedLines(lines)) return true;
  const std::set<std::string_view> distinct(lines.begin(), lines.end());
  return CountChars(label) >= kLongChars && 5 * distinct.size() <= lines.size();
}

// Every name["label"] of the chart.
bool HasRepetitiveNode(std::string_view content) {
  for (size_t i = 0; i < content.size();) {
    const size_t name = MermaidNameLength(content.substr(i));
    if (name == 0) {
      ++i;
      continue;
    }
    size_t open = i + name;
    open += SpaceLength(content.substr(open));
    const size_t after_name = i + name;
    i = after_name;
    if (content.substr(open, 2) != "[\"") continue;
    size_t end = open + 2;
    while (end < content.size() && content[end] != '"') end += content[end] == '\\' ? 2 : 1;
    if (end >= content.size() || content.substr(end, 2) != "\"]") continue;
    if (IsRepetitiveName(content.substr(after_name - name, name)) ||
        IsRepetitiveLabel(content.substr(open + 2, end - open - 2))) {
      return true;
    }
    i = end + 2;
  }
  return false;
}

struct Edge {
  std::string_view source;
  std::string_view target;
  std::string_view rest;  // behind the target
};

// source --> target at the beginning of a line; a |label| may stand before the target.
std::optional<Edge> ParseEdge(std::string_view line, bool allows_label) {
  line.remove_prefix(SpaceLength(line));
  size_t name = MermaidNameLength(line);
  std::string_view rest = line.substr(name);
  rest.remove_prefix(SpaceLength(rest));
  if (!StartsWith(rest, kMermaidArrow)) {
    // Dashes count as part of a name, so that the arrow's own may have been taken.
    if (name < 3 || line.substr(name - 2, 3) != kMermaidArrow) return std::nullopt;
    name -= 2;
    rest = line.substr(name);
  }
  if (name == 0) return std::nullopt;
  Edge edge{line.substr(0, name), {}, {}};
  rest.remove_prefix(kMermaidArrow.size());
  rest.remove_prefix(SpaceLength(rest));
  if (allows_label && StartsWith(rest, "|")) {
    const size_t close = rest.find('|', 1);
    if (close == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(close + 1);
    rest.remove_prefix(SpaceLength(rest));
  }
  const size_t target = MermaidNameLength(rest);
  if (target == 0) return std::nullopt;
  edge.target = rest.substr(0, target);
  rest.remove_prefix(target);
  edge.rest = TrimSpace(rest);
  return edge;
}

// Nothing, or one pair of brackets, behind the target.
bool EndsPlainly(const Edge& edge) {
  if (edge.rest.empty()) return true;
  const size_t kind = std::string_view("[({").find(edge.rest.front());
  return kind != std::string_view::npos && edge.rest.find("])}"[kind]) == edge.rest.size() - 1;
}

// The label of target["label"] at the end of the line. A single backslash makes it none.
std::string_view TargetLabel(const Edge& edge) {
  const std::string_view rest = edge.rest;
  if (rest.size() < 4 || !StartsWith(rest, "[\"")) return {};
  size_t end = 2;
  while (end < rest.size() && rest[end] != '"') {
    if (rest[end] != '\\') {
      ++end;
    } else if (rest.substr(end, 2) == "\\\\" && end + 2 < rest.size()) {
      end += 2 + static_cast<size_t>(DecodeUtf8(rest.substr(end + 2)).num_bytes);
    } else {
      return {};
    }
  }
  if (rest.substr(std::min(end, rest.size())) != "\"]") return {};
  return TrimSpace(rest.substr(2, end - 2));
}

// The name at the beginning of a part of a chain of edges.
std::string_view EndpointName(std::string_view part) {
  part = TrimSpace(part);
  if (StartsWith(part, "|")) {
    const size_t close = part.find('|', 1);
    if (close != std::string_view::npos) part.remove_prefix(close + 1);
    part.remove_prefix(SpaceLength(part));
  }
  return part.substr(0, MermaidNameLength(part));
}

bool HasRepetitiveEndpoint(std::string_view line) {
  const size_t first = line.find(kMermaidArrow);
  if (first == std::string_view::npos) return false;
  if (line.find(kMermaidArrow, first + kMermaidArrow.size()) == std::string_view::npos) {
    const std::optional<Edge> edge = ParseEdge(line, true);
    return edge && EndsPlainly(*edge) &&
           (IsRepetitiveName(edge->source) || IsRepetitiveName(edge->target));
  }
  while (true) {
    const size_t arrow = line.find(kMermaidArrow);
    if (IsRepetitiveName(EndpointName(line.substr(0, arrow)))) return true;
    if (arrow == std::string_view::npos) return false;
    line.remove_prefix(arrow + kMermaidArrow.size());
  }
}

bool HasRepetitiveEdge(const std::vector<std::string_view>& lines) {
  std::map<std::string, int> edges;
  std::map<std::string_view, int> labels;
  for (const std::string_view line : lines) {
    const std::optional<Edge> edge = ParseEdge(line, true);
    if (edge && EndsPlainly(*edge) &&
        ++edges[std::string(edge->source) + "-->" + std::string(edge->target)] >= kMaxRun) {
      return true;
    }
    const std::optional<Edge> labelled = ParseEdge(line, false);
    const std::string_view label = labelled ? TargetLabel(*labelled) : std::string_view();
    if (!label.empty() && ++labels[label] >= kMaxRun) return true;
    if (HasRepetitiveEndpoint(line)) return true;
  }
  return false;
}

bool IsStructure(std::string_view line) {
  const std::string text = LowerAscii(TrimSpace(line));
  return text.empty() || text == "end" || text.find(kMermaidArrow) != std::string::npos ||
         StartsWith(text, "graph ") || StartsWith(text, "flowchart ") ||
         StartsWith(text, "subgraph ") || StartsWith(text, "direction ") || StartsWith(text, "%%");
}

// Without brackets, quotes and stops at its ends.
std::string CleanLine(std::string_view line) {
  const auto trim = [&line](std::string_view front, std::string_view back) {
    while (true) {
      const size_t before = line.size();
      line = TrimSpace(line);
      line.remove_prefix(std::min(line.find_first_not_of(front), line.size()));
      line = line.substr(0, line.find_last_not_of(back) + 1);
      if (line.size() == before) return;
    }
  };
  trim("[]()\"'>", "[]()\"',.;:");
  return CollapseSpace(line);
}

}  // namespace

bool IsRepetitiveMermaid(std::string_view content) {
  if (HasRepetitiveNode(content)) return true;
  const std::string unescaped = UnescapeLineFeeds(content);
  const std::vector<std::string_view> lines = SplitLines(unescaped);
  if (HasRepetitiveEdge(lines)) return true;
  std::vector<std::string> words;
  for (const std::string_view line : lines) {
    if (IsStructure(line)) continue;
    std::string clean = CleanLine(line);
    if (!clean.empty()) words.push_back(std::move(clean));
  }
  return HasRepeatedLines(words);
}

}  // namespace octavo
