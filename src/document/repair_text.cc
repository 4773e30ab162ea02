#include "document/repair_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/utf8.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Calls `inside` with what stands between each `open` and the next `close` and puts its result in
// place of the whole. An `open` without `close` stays.
template <typename F>
std::string ReplaceDelimited(std::string_view text, std::string_view open, std::string_view close,
                             F inside) {
  std::string out;
  size_t begin = 0;
  while (true) {
    const size_t start = text.find(open, begin);
    if (start == std::string_view::npos) break;
    const size_t end = text.find(close, start + open.size());
    if (end == std::string_view::npos) break;
    out += text.substr(begin, start - begin);
    out += inside(text.substr(start + open.size(), end - start - open.size()));
    begin = end + close.size();
  }
  out += text.substr(begin);
  return out;
}

// Digits, en dashes, hyphens, commas and blanks only: a citation, no formula.
bool IsCitation(std::string_view text) {
  while (!text.empty()) {
    const DecodedChar c = DecodeUtf8(text);
    const bool is_digit = c.code_point >= U'0' && c.code_point <= U'9';
    if (!is_digit && c.code_point != U'\u2013' && c.code_point != U'-' && c.code_point != U',' &&
        !IsSpace(c.code_point)) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(c.num_bytes));
  }
  return true;
}

// Puts a blank after a relation macro that is followed by exactly one letter.
std::string SpaceMacros(std::string_view formula) {
  constexpr std::array<std::string_view, 5> kMacros = {"\\cong", "\\to", "\\times", "\\subset",
                                                       "\\in"};
  constexpr std::array<std::string_view, 3> kOtherMacros = {"\\top", "\\int", "\\inf"};
  std::string out;
  for (size_t i = 0; i < formula.size();) {
    const std::string_view rest = formula.substr(i);
    const auto starts = [&](std::string_view word) { return rest.substr(0, word.size()) == word; };
    const auto* macro = std::find_if(kMacros.begin(), kMacros.end(), starts);
    if (macro == kMacros.end()) {
      out += formula[i++];
      continue;
    }
    const size_t letter = macro->size();
    const bool is_single = letter < rest.size() && IsLetter(rest[letter]) &&
                           (letter + 1 == rest.size() || !IsLetter(rest[letter + 1]));
    const bool is_other = std::any_of(kOtherMacros.begin(), kOtherMacros.end(), starts);
    out += *macro;
    if (is_single && !is_other) out += ' ';
    i += letter;
  }
  return out;
}

// The formula in \( \), with its runs of underscores outside.
std::string MoveUnderscoresOut(std::string_view formula) {
  constexpr size_t kMinRun = 3;
  std::string out;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    if (!out.empty()) out += ' ';
    out += part;
  };
  bool has_run = false;
  size_t begin = 0;
  const auto add_formula = [&](size_t end) {
    const std::string_view part = formula.substr(begin, end - begin);
    if (!IsBlank(part)) add("\\(" + std::string(part) + "\\)");
  };
  for (size_t i = formula.find('_'); i != std::string_view::npos; i = formula.find('_', i)) {
    const size_t end = std::min(formula.find_first_not_of('_', i), formula.size());
    if (end - i >= kMinRun) {
      has_run = true;
      add_formula(i);
      add(std::string(formula.substr(i, end - i)));
      begin = end;
    }
    i = end;
  }
  if (!has_run) return "\\(" + std::string(formula) + "\\)";
  add_formula(formula.size());
  return out;
}

}  // namespace

std::string RepairText(std::string_view text) {
  const std::string inlined = ReplaceDelimited(text, "\\[", "\\]", [](std::string_view inside) {
    const bool is_citation = IsCitation(inside);
    return (is_citation ? "\\[" : "\\(") + std::string(inside) + (is_citation ? "\\]" : "\\)");
  });
  return ReplaceDelimited(inlined, "\\(", "\\)", [](std::string_view inside) {
    return MoveUnderscoresOut(SpaceMacros(inside));
  });
}

std::string WrapTableFormulas(std::string_view html) {
  const auto wrap = [](std::string_view open, std::string_view close) {
    return [open, close](std::string_view inside) {
      if (inside.empty()) return std::string(open) + std::string(close);
      return "<eq>" + std::string(TrimSpace(inside)) + "</eq>";
    };
  };
  std::string out;
  size_t begin = 0;
  const auto add = [&](size_t end) {
    const std::string inlined =
        ReplaceDelimited(html.substr(begin, end - begin), "\\(", "\\)", wrap("\\(", "\\)"));
    out += ReplaceDelimited(inlined, "\\[", "\\]", wrap("\\[", "\\]"));
  };
  while (true) {
    const size_t open = html.find("<eq>", begin);
    const size_t close = open == std::string_view::npos ? open : html.find("</eq>", open);
    if (close == std::string_view::npos) break;
    add(open);
    out += html.substr(open, close + 5 - open);
    begin = close + 5;
  }
  add(html.size());
  return out;
}

}  // namespace octavo
