#include "evaluate/latex_form.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/utf8.h"

namespace octavo {
namespace {

using Tokens = std::vector<std::string>;

constexpr std::array<std::string_view, 31> kLeftOut = {"\\,",
                                                       "\\;",
                                                       "\\:",
                                                       "\\!",
                                                       "\\ ",
                                                       "\\quad",
                                                       "\\qquad",
                                                       "~",
                                                       "\\big",
                                                       "\\Big",
                                                       "\\bigg",
                                                       "\\Bigg",
                                                       "\\bigl",
                                                       "\\Bigl",
                                                       "\\biggl",
                                                       "\\Biggl",
                                                       "\\bigr",
                                                       "\\Bigr",
                                                       "\\biggr",
                                                       "\\Biggr",
                                                       "\\bigm",
                                                       "\\Bigm",
                                                       "\\displaystyle",
                                                       "\\textstyle",
                                                       "\\scriptstyle",
                                                       "\\scriptscriptstyle",
                                                       "\\limits",
                                                       "\\nolimits",
                                                       "\\nonumber",
                                                       "\\notag",
                                                       "\\\n"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 17> kSpellings = {{
    {"\\le", "\\leq"},
    {"\\ge", "\\geq"},
    {"\\ne", "\\neq"},
    {"\\to", "\\rightarrow"},
    {"\\gets", "\\leftarrow"},
    {"\\dfrac", "\\frac"},
    {"\\tfrac", "\\frac"},
    {"\\dots", "\\ldots"},
    {"\\lbrace", "\\{"},
    {"\\rbrace", "\\}"},
    {"\\vert", "|"},
    {"\\Vert", "\\|"},
    {"\\land", "\\wedge"},
    {"\\lor", "\\vee"},
    {"\\lnot", "\\neg"},
    {"\\ast", "*"},
    {"\\colon", ":"},
}};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Length of the token at the beginning of `text`: a command, an escaped character, a character.
size_t TokenLength(std::string_view text) {
  if (text[0] != '\\' || text.size() == 1) {
    return static_cast<size_t>(DecodeUtf8(text).num_bytes);
  }
  size_t length = 1;
  while (length < text.size() && IsLetter(text[length])) ++length;
  return length > 1 ? length : 1 + static_cast<size_t>(DecodeUtf8(text.substr(1)).num_bytes);
}

Tokens Tokenize(std::string_view latex) {
  Tokens tokens;
  while (!latex.empty()) {
    if (IsBlank(latex[0])) {
      latex.remove_prefix(1);
      continue;
    }
    const size_t length = TokenLength(latex);
    tokens.emplace_back(latex.substr(0, length));
    latex.remove_prefix(length);
  }
  return tokens;
}

// The end of the token or group that begins at `at`.
size_t EndOfArgument(const Tokens& tokens, size_t at) {
  if (at >= tokens.size() || tokens[at] != "{") return std::min(at + 1, tokens.size());
  size_t depth = 0;
  for (size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i] == "{") ++depth;
    if (tokens[i] == "}" && --depth == 0) return i + 1;
  }
  return tokens.size();
}

Tokens WithoutLooks(const Tokens& tokens) {
  Tokens kept;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string& token = tokens[i];
    if (token == "\\tag" || token == "\\label") {
      size_t argument = i + 1;
      if (argument < tokens.size() && tokens[argument] == "*") ++argument;
      i = std::max(i, EndOfArgument(tokens, argument) - 1);
    } else if (token == "\\left" || token == "\\right") {
      if (i + 1 < tokens.size() && tokens[i + 1] == ".") ++i;
    } else if (std::find(kLeftOut.begin(), kLeftOut.end(), token) == kLeftOut.end()) {
      const auto* const other =
          std::find_if(kSpellings.begin(), kSpellings.end(),
                       [&](const auto& spelling) { return spelling.first == token; });
      kept.push_back(other == kSpellings.end() ? token : std::string(other->second));
    }
  }
  return kept;
}

// A list of tokens with the place of the brace that each closing brace belongs to.
constexpr size_t kNoOpener = static_cast<size_t>(-1);
struct Item {
  std::string token;
  size_t opener = kNoOpener;  // of "}": index of its "{"
};

void RemoveAt(std::vector<Item>* items, size_t at) {
  items->erase(items->begin() + static_cast<std::ptrdiff_t>(at));
  for (size_t i = at; i < items->size(); ++i) {
    if ((*items)[i].opener != kNoOpener) --(*items)[i].opener;
  }
}

Tokens WithoutIdleBraces(const Tokens& tokens) {
  std::vector<Item> items;
  std::vector<size_t> open;
  for (const std::string& token : tokens) {
    if (token == "{") {
      open.push_back(items.size());
      items.push_back({token});
      continue;
    }
    if (token != "}" || open.empty()) {
      items.push_back({token});
      continue;
    }
    const size_t opener = open.back();
    open.pop_back();
    const size_t num_inside = items.size() - opener - 1;
    const bool is_one_group = num_inside >= 2 && items[opener + 1].token == "{" &&
                              items.back().token == "}" && items.back().opener == opener + 1;
    if (num_inside <= 1 || is_one_group) {
      RemoveAt(&items, opener);
    } else {
      items.push_back({token, opener});
    }
  }
  Tokens kept;
  for (Item& item : items) kept.push_back(std::move(item.token));
  return kept;
}

// x^{a}_{b} to x_{b}^{a}.
void PutSubscriptsFirst(Tokens* tokens) {
  for (size_t i = 0; i < tokens->size(); ++i) {
    if ((*tokens)[i] != "^") continue;
    const size_t middle = EndOfArgument(*tokens, i + 1);
    if (middle >= tokens->size() || (*tokens)[middle] != "_") continue;
    const size_t end = EndOfArgument(*tokens, middle + 1);
    const auto begin = tokens->begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(i), begin + static_cast<std::ptrdiff_t>(middle),
                begin + static_cast<std::ptrdiff_t>(end));
  }
}

}  // namespace

std::string NormalLatex(std::string_view latex) {
  Tokens tokens = WithoutIdleBraces(WithoutLooks(Tokenize(latex)));
  PutSubscriptsFirst(&tokens);
  while (!tokens.empty() && (tokens.back() == "." || tokens.back() == ",")) tokens.pop_back();
  std::string out;
  for (const std::string& token : tokens) {
    if (!out.empty()) out += ' ';
    out += token;
  }
  return out;
}

}  // namespace octavo
