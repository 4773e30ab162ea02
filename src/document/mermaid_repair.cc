#include "document/mermaid_repair.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "document/mermaid_repetition.h"
#include "document/mermaid_text.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr std::string_view kFence = "```";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Calls `check` with what follows each arrow of the line until it says yes.
template <typename F>
bool AnyArrow(std::string_view line, F check) {
  for (size_t i = line.find(kMermaidArrow); i != std::string_view::npos;
       i = line.find(kMermaidArrow, i + 1)) {
    if (check(line.substr(i + kMermaidArrow.size()))) return true;
  }
  return false;
}

// |label| and something after it.
bool BeginsWithLabel(std::string_view text) {
  text.remove_prefix(SpaceLength(text));
  const size_t close = text.find('|', 1);
  return StartsWith(text, "|") && close != std::string_view::npos && close > 1 &&
         !IsBlank(text.substr(close + 1));
}

int CountUnquotedPipes(std::string_view line) {
  int count = 0;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '|') {
      ++count;
    }
  }
  return count;
}

bool IsBrokenEdge(std::string_view line) {
  const std::string_view text = TrimSpace(line);
  if (text.empty() || StartsWith(text, "%%") || AnyArrow(line, BeginsWithLabel)) return false;
  return CountUnquotedPipes(line) == 1 && AnyArrow(text, [](std::string_view rest) {
           const size_t pipe = rest.find('|');
           return pipe != std::string_view::npos && pipe + 1 < rest.size() &&
                  rest.find('|', pipe + 1) == std::string_view::npos;
         });
}

// "1) Trigger" to "sg_1_Trigger".
std::string SubgraphName(std::string_view title) {
  std::string name;
  for (const char c : title) {
    const bool is_word = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_word) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) return "sg";
  return name.front() >= '0' && name.front() <= '9' ? "sg_" + name : name;
}

// The line with a name for its subgraph, if it needs one. `names` are those in use.
std::string LegalizeSubgraph(std::string_view line, std::set<std::string>* names) {
  constexpr std::string_view kWord = "subgraph";
  const size_t indent = SpaceLength(line);
  std::string_view title = line.substr(indent);
  if (!StartsWith(title, kWord)) return std::string(line);
  title.remove_prefix(kWord.size());
  if (SpaceLength(title) == 0) return std::string(line);
  title = TrimSpace(title);
  if (title.empty()) return std::string(line);

  const std::string_view own = title.substr(0, IdentifierLength(title));
  std::string_view rest = title.substr(own.size());
  const bool ends_word = rest.empty() || SpaceLength(rest) > 0;
  rest.remove_prefix(SpaceLength(rest));
  const bool has_label = StartsWith(rest, "[") || StartsWith(rest, "(");
  if (!own.empty() && (ends_word || has_label)) {
    names->emplace(own);
    return std::string(line);
  }
  const std::string base = SubgraphName(title);
  std::string name = base;
  for (int number = 2; !names->insert(name).second; ++number) {
    name = base + "_" + std::to_string(number);
  }
  return std::string(line.substr(0, indent)) + std::string(kWord) + " " + name + "[\"" +
         ReplaceAll(title, "\"", "\\\"") + "\"]";
}

// What stands in a ```mermaid fence, or in any; without fence all of it.
std::string_view InsideFence(std::string_view content) {
  for (const std::string_view open : {std::string_view("```mermaid"), kFence}) {
    const size_t begin = content.find(open);
    if (begin == std::string_view::npos) continue;
    const size_t end = content.find(kFence, begin + open.size());
    if (end == std::string_view::npos) continue;
    return TrimSpace(content.substr(begin + open.size(), end - begin - open.size()));
  }
  return TrimSpace(content);
}

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80u) != 0;
}

std::string FixHeader(std::string_view chart) {
  constexpr struct {
    std::string_view wrong;
    std::string_view right;
  } kTypos[] = {{"grap", "graph"},
                {"grapg", "graph"},
                {"graphh", "graph"},
                {"flowchar", "flowchart"},
                {"flowchartt", "flowchart"}};
  const auto end = std::find_if_not(chart.begin(), chart.end(), IsWordByte);
  const auto length = static_cast<size_t>(end - chart.begin());
  const std::string word = LowerAscii(chart.substr(0, length));
  for (const auto& typo : kTypos) {
    if (word == typo.wrong) return std::string(typo.right) + std::string(chart.substr(length));
  }
  return std::string(chart);
}

// Replaces every piece that `match` finds; it returns the length of the piece at a position, or 0.
template <typename F>
std::string ReplaceMatches(const std::string& text, std::string_view replacement, F match) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const size_t length = match(std::string_view(text), i);
    if (length == 0) {
      out += text[i++];
    } else {
      out += replacement;
      i += length;
    }
  }
  return out;
}

// The length of what stands at `begin` and looks like `parts`, where a blank is white space of any
// length; or 0.
size_t MatchParts(std::string_view text, size_t begin, std::string_view parts) {
  size_t i = begin;
  for (const char part : parts) {
    if (part == ' ') {
      const size_t space = SpaceLength(text.substr(i));
      if (space == 0) return 0;
      i += space;
      continue;
    }
    if (i >= text.size() || text[i] != part) return 0;
    ++i;
  }
  return i - begin;
}

std::string FixArrows(const std::string& chart) {
  // A private-use character stands for <--> meanwhile.
  constexpr std::string_view kDouble = "\xF3\xB0\x80\x81";
  std::string out = ReplaceMatches(chart, kDouble, [](std::string_view text, size_t i) {
    return text[i] == '<' ? DoubleArrowLength(text.substr(i)) : 0;
  });
  for (const std::string_view parts : {"- ->", "-- >", "- - >"}) {
    out = ReplaceMatches(out, kMermaidArrow, [parts](std::string_view text, size_t i) {
      return MatchParts(text, i, parts);
    });
  }
  out = ReplaceMatches(out, " --> ", [](std::string_view text, size_t i) {
    if (i > 0 && (text[i - 1] == '-' || text[i - 1] == '=')) return size_t{0};
    return MatchParts(text, i, " -> ");
  });
  return ReplaceAll(out, kDouble, "<-->");
}

// name[label] with the label in quotes.
std::string QuoteLabel(std::string_view whole, std::string_view name, std::string_view label) {
  if (StartsWith(LowerAscii(name), "subgraph ") || StartsWith(label, "\"[")) {
    return std::string(whole);
  }
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool is_blank = name[i] == ' ' || name[i] == '\t';
    if (!is_blank) out += name[i];
    if (is_blank && name[i - 1] != ' ' && name[i - 1] != '\t') out += '_';
  }
  if (label.empty()) return out + "[]";
  if (label.front() == '"' && label.back() == '"') {
    label = label.size() < 2 ? std::string_view() : label.substr(1, label.size() - 2);
  }
  return out + "[\"" + ReplaceAll(ReplaceAll(label, "\"", "&quot;"), "\n", "<br>") + "\"]";
}

// Length of the names at the beginning, with blanks between them.
size_t NamesLength(std::string_view text) {
  size_t length = MermaidNameLength(text);
  while (length > 0) {
    const size_t next = std::min(text.find_first_not_of(" \t", length), text.size());
    const size_t name = next > length ? MermaidNameLength(text.substr(next)) : 0;
    if (name == 0) break;
    length = next + name;
  }
  return length;
}

std::string QuoteLabels(std::string_view chart) {
  std::string out;
  for (size_t i = 0; i < chart.size();) {
    const size_t names = NamesLength(chart.substr(i));
    if (names == 0) {
      out += chart[i++];
      continue;
    }
    const size_t open = std::min(chart.find_first_not_of(" \t", i + names), chart.size());
    const size_t close =
        open < chart.size() && chart[open] == '[' ? chart.find(']', open) : std::string_view::npos;
    if (close == std::string_view::npos) {
      out += chart.substr(i, names);
      i += names;
      continue;
    }
    out += QuoteLabel(chart.substr(i, close + 1 - i), chart.substr(i, names),
                      chart.substr(open + 1, close - open - 1));
    i = close + 1;
  }
  return out;
}

}  // namespace

std::string DropBrokenMermaidEdges(std::string_view content) {
  std::vector<std::string> lines;
  for (const std::string_view line : SplitLines(content)) {
    if (!IsBrokenEdge(line)) lines.emplace_back(line);
  }
  return JoinLines(lines, content);
}

std::string LegalizeMermaidSubgraphs(std::string_view content) {
  std::vector<std::string> lines;
  std::set<std::string> names;
  for (const std::string_view line : SplitLines(content)) {
    lines.push_back(LegalizeSubgraph(line, &names));
  }
  return JoinLines(lines, content);
}

std::string NormalizeMermaid(std::string_view content) {
  if (IsBlank(content)) return {};
  std::string_view chart = InsideFence(TrimSpace(content));
  constexpr std::string_view kWord = "mermaid";
  if (LowerAscii(chart.substr(0, kWord.size())) == kWord) {
    chart = TrimSpace(chart.substr(kWord.size()));
  }
  return "```mermaid\n" + QuoteLabels(FixArrows(FixHeader(chart))) + "\n```";
}

std::string RepairMermaid(std::string_view content) {
  if (IsRepetitiveMermaid(content)) return {};
  return NormalizeMermaid(
      LegalizeMermaidSubgraphs(DropBrokenMermaidEdges(LegalizeMermaidNames(content))));
}

}  // namespace octavo
