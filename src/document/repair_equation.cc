#include "document/repair_equation.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "base/str_cat.h"
#include "document/repair_left_right.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

size_t SkipBlanks(std::string_view text, size_t i) {
  while (i < text.size() && IsSpace(static_cast<unsigned char>(text[i]))) ++i;
  return i;
}

// End of the group {…} at text[i], which may hold one level of groups; npos if there is none.
size_t GroupEnd(std::string_view text, size_t i) {
  if (i >= text.size() || text[i] != '{') return std::string_view::npos;
  int depth = 1;
  for (++i; i < text.size(); ++i) {
    if (text[i] == '{' && ++depth > 2) return std::string_view::npos;
    if (text[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

// End of _ blanks {…} at text[i]; npos if there is none.
size_t SubscriptEnd(std::string_view text, size_t i) {
  if (i >= text.size() || text[i] != '_') return std::string_view::npos;
  return GroupEnd(text, SkipBlanks(text, i + 1));
}

struct BigRule {
  std::string from;
  std::string to;
};

// For every size B and delimiter D: "B{D}" and "B {D}" to "BD". The exceptions are the reference's:
// \Biggm misses braces and angles; four sizes write brackets with a backslash.
std::vector<BigRule> MakeBigRules() {
  std::vector<BigRule> rules;
  for (const char* size : {"big", "bigr", "bigm", "bigl", "bigg", "biggr", "biggm", "biggl", "Big",
                           "Bigr", "Bigm", "Bigl", "Bigg", "Biggr", "Biggm", "Biggl"}) {
    const std::string name = std::string("\\") + size;
    const bool is_biggm = name == "\\Biggm";
    const bool escapes_brackets =
        is_biggm || name == "\\biggm" || name == "\\biggl" || name == "\\Biggl";
    const auto add = [&](const std::string& delimiter, const std::string& written) {
      rules.push_back({StrCat(name, "{", delimiter, "}"), name + written});
      rules.push_back({StrCat(name, " {", delimiter, "}"), name + written});
    };
    for (const char* delimiter : {"(", ")", "|", "\\|"}) add(delimiter, delimiter);
    for (const char* delimiter : {"[", "]"}) {
      add(delimiter, escapes_brackets ? std::string("\\") + delimiter : delimiter);
    }
    if (is_biggm) continue;
    for (const char* delimiter : {"\\{", "\\}"}) add(delimiter, delimiter);
    for (const char* delimiter : {"\\langle", "\\rangle"}) {
      add(delimiter, std::string(delimiter) + " ");
    }
  }
  return rules;
}

}  // namespace

std::string FixEquationDelimiters(std::string_view latex) {
  latex = TrimSpace(latex);
  if (StartsWith(latex, "\\[")) latex.remove_prefix(2);
  if (EndsWith(latex, "\\]")) latex.remove_suffix(2);
  return std::string(TrimSpace(latex));
}

std::string FixDoubleSubscript(std::string_view latex) {
  std::string out;
  for (size_t i = 0; i < latex.size();) {
    const size_t first = SubscriptEnd(latex, i);
    const size_t second = first == std::string_view::npos
                              ? std::string_view::npos
                              : SubscriptEnd(latex, SkipBlanks(latex, first));
    if (second != std::string_view::npos) {
      i = second;
    } else {
      out += latex[i++];
    }
  }
  return out;
}

std::string FixColonRelations(std::string_view latex) {
  return ReplaceAll(ReplaceAll(latex, "\\eqqcolon", "=:"), "\\coloneqq", ":=");
}

std::string FixBigDelimiters(std::string_view latex) {
  static const std::vector<BigRule> rules = MakeBigRules();
  std::string out(latex);
  if (out.find("\\big") == std::string::npos && out.find("\\Big") == std::string::npos) return out;
  for (const BigRule& rule : rules) {
    if (out.find(rule.from) != std::string::npos) out = ReplaceAll(out, rule.from, rule.to);
  }
  return ReplaceAll(out, "\\bigtimes", "\\times");
}

std::string SpaceAfterLess(std::string_view latex) { return ReplaceAll(latex, "<", "< "); }

std::string FixUnbalancedBraces(std::string_view latex) {
  std::vector<bool> is_dropped(latex.size(), false);
  std::vector<size_t> open;
  bool is_escaped = false;
  for (size_t i = 0; i < latex.size(); ++i) {
    if (latex[i] == '\\') {
      is_escaped = !is_escaped;
      continue;
    }
    if (!is_escaped && latex[i] == '{') open.push_back(i);
    if (!is_escaped && latex[i] == '}') {
      if (open.empty()) {
        is_dropped[i] = true;
      } else {
        open.pop_back();
      }
    }
    is_escaped = false;
  }
  for (const size_t i : open) is_dropped[i] = true;
  std::string out;
  for (size_t i = 0; i < latex.size(); ++i) {
    if (!is_dropped[i]) out += latex[i];
  }
  return out;
}

std::string RepairEquation(std::string_view latex) {
  std::string out = MatchLeftRight(FixEquationDelimiters(latex));
  out = FixColonRelations(FixDoubleSubscript(out));
  return FixUnbalancedBraces(SpaceAfterLess(FixBigDelimiters(out)));
}

std::string WrapEquation(std::string_view latex) {
  std::string out(TrimSpace(latex));
  if (out.empty()) return out;
  if (!StartsWith(out, "\\[")) out = "\\[\n" + out;
  if (!EndsWith(out, "\\]")) out += "\n\\]";
  return out;
}

}  // namespace octavo
