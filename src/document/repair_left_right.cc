#include "document/repair_left_right.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr std::string_view kLeft = "\\left";
constexpr std::string_view kRight = "\\right";
constexpr std::string_view kBeginArray = "\\begin{array}";
constexpr std::string_view kEndArray = "\\end{array}";

// What may follow \left and \right to be counted; a blank between is not allowed.
constexpr std::array<std::string_view, 18> kLeftDelimiters = {
    "\\lbrace", "\\lVert",  "\\lvert",  "\\rvert",  "\\rVert", "\\vert",
    "\\Vert",   "\\lfloor", "\\lbrack", "\\langle", "|",       "\\|",
    "[",        "]",        "(",        "\\{",      "\\}",     "."};
constexpr std::array<std::string_view, 18> kRightDelimiters = {
    "\\rbrace", "\\lVert",  "\\lvert",  "\\rvert",  "\\rVert", "\\vert",
    "\\Vert",   "\\rfloor", "\\rbrack", "\\rangle", "|",       "\\|",
    "]",        "[",        ")",        "\\}",      "\\{",     "."};
constexpr std::pair<std::string_view, std::string_view> kPairs[] = {{"\\lbrace", "\\rbrace"},
                                                                    {"\\lVert", "\\lVert"},
                                                                    {"\\lvert", "\\lvert"},
                                                                    {"\\vert", "\\vert"},
                                                                    {"\\Vert", "\\Vert"},
                                                                    {"\\lfloor", "\\rfloor"},
                                                                    {"\\lbrack", "\\rbrack"},
                                                                    {"\\langle", "\\rangle"},
                                                                    {"|", "|"},
                                                                    {"\\|", "\\|"},
                                                                    {"[", "]"},
                                                                    {"]", "["},
                                                                    {"(", ")"},
                                                                    {"\\{", "\\}"},
                                                                    {"\\}", "\\{"}};

template <size_t kCount>
std::string_view DelimiterAt(std::string_view text,
                             const std::array<std::string_view, kCount>& known) {
  for (const std::string_view delimiter : known) {
    if (text.substr(0, delimiter.size()) == delimiter) return delimiter;
  }
  return {};
}

int CountLeft(std::string_view text) {
  int count = 0;
  for (size_t i = text.find(kLeft); i != std::string_view::npos; i = text.find(kLeft, i + 1)) {
    count += DelimiterAt(text.substr(i + kLeft.size()), kLeftDelimiters).empty() ? 0 : 1;
  }
  return count;
}

// The reference's pattern ends in an unescaped dot: \right and any character but a line feed
// count, \rightarrow too.
int CountRight(std::string_view text) {
  int count = 0;
  for (size_t i = text.find(kRight); i != std::string_view::npos; i = text.find(kRight, i + 1)) {
    const size_t next = i + kRight.size();
    count += next < text.size() && text[next] != '\n' ? 1 : 0;
  }
  return count;
}

bool IsPair(std::string_view left, std::string_view right) {
  if (left == "." || right == ".") return true;
  return std::any_of(std::begin(kPairs), std::end(kPairs),
                     [&](const auto& pair) { return pair.first == left && pair.second == right; });
}

enum class PieceKind { kText, kAmpersand, kNewRow, kOpenArray, kCloseArray };
struct Piece {
  PieceKind kind = PieceKind::kText;
  std::string text;  // trimmed
};

// Length of a separator at the start of `text`; 0 if there is none.
size_t SeparatorLength(std::string_view text, PieceKind* kind) {
  if (text[0] == '&') {
    *kind = PieceKind::kAmpersand;
    return 1;
  }
  if (text.substr(0, 2) == "\\\\") {
    *kind = PieceKind::kNewRow;
    return 2;
  }
  if (text.substr(0, kEndArray.size()) == kEndArray) {
    *kind = PieceKind::kCloseArray;
    return kEndArray.size();
  }
  if (text.substr(0, kBeginArray.size()) != kBeginArray) return 0;
  size_t i = kBeginArray.size();
  const auto is_blank = [&] { return i < text.size() && IsSpace(static_cast<char32_t>(text[i])); };
  while (is_blank()) ++i;
  if (i >= text.size() || text[i] != '{') return 0;
  ++i;
  const size_t columns = i;
  const auto is_letter = [&] {
    return i < text.size() &&
           ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'));
  };
  while (is_letter() || is_blank()) ++i;
  if (i == columns || i >= text.size() || text[i] != '}') return 0;
  *kind = PieceKind::kOpenArray;
  return i + 1;
}

std::vector<Piece> Split(std::string_view latex) {
  std::vector<Piece> pieces;
  size_t begin = 0;
  const auto add_text = [&](size_t end) {
    pieces.push_back({PieceKind::kText, std::string(TrimSpace(latex.substr(begin, end - begin)))});
  };
  for (size_t i = 0; i < latex.size();) {
    PieceKind kind = PieceKind::kText;
    const size_t length = SeparatorLength(latex.substr(i), &kind);
    if (length == 0) {
      ++i;
      continue;
    }
    add_text(i);
    pieces.push_back({kind, std::string(latex.substr(i, length))});
    i += length;
    begin = i;
  }
  add_text(latex.size());
  return pieces;
}

// A piece cut at its counted delimiters.
struct Fragment {
  std::string text;
  bool is_left = false;
  bool is_right = false;
  std::string_view delimiter;
  bool is_matched = true;
};

std::vector<Fragment> Fragments(std::string_view text) {
  std::vector<Fragment> fragments;
  size_t begin = 0;
  const auto add_text = [&](size_t end) {
    const std::string_view between = text.substr(begin, end - begin);
    if (!IsBlank(between)) {
      fragments.push_back({std::string(between), false, false, {}, true});
    }
  };
  for (size_t i = 0; i < text.size();) {
    const bool is_left = text.substr(i, kLeft.size()) == kLeft;
    const bool is_right = text.substr(i, kRight.size()) == kRight;
    const size_t word = is_left ? kLeft.size() : kRight.size();
    std::string_view delimiter;
    if (is_left) delimiter = DelimiterAt(text.substr(i + word), kLeftDelimiters);
    if (is_right) delimiter = DelimiterAt(text.substr(i + word), kRightDelimiters);
    if (delimiter.empty()) {
      ++i;
      continue;
    }
    add_text(i);
    const size_t length = word + delimiter.size();
    fragments.push_back({std::string(text.substr(i, length)), is_left, is_right, delimiter, false});
    i += length;
    begin = i;
  }
  add_text(text.size());
  return fragments;
}

// Pairs each right delimiter with the last open left one, if they fit.
void MatchFragments(std::vector<std::vector<Fragment>>* cell) {
  std::vector<Fragment*> open;
  for (auto& fragments : *cell) {
    for (Fragment& fragment : fragments) {
      if (fragment.is_left) open.push_back(&fragment);
      if (!fragment.is_right || open.empty()) continue;
      if (!IsPair(open.back()->delimiter, fragment.delimiter)) continue;
      open.back()->is_matched = true;
      fragment.is_matched = true;
      open.pop_back();
    }
  }
}

std::string JoinFragments(const std::vector<Fragment>& fragments) {
  std::string text;
  for (const Fragment& fragment : fragments) {
    if (fragment.is_right && !fragment.is_matched) text += "\\left. ";
    text += fragment.text;
    if (fragment.is_left && !fragment.is_matched) text += " \\right.";
  }
  return text;
}

void RepairCell(const std::vector<size_t>& members, std::vector<Piece>* pieces) {
  int num_left = 0;
  int num_right = 0;
  for (const size_t i : members) {
    num_left += CountLeft((*pieces)[i].text);
    num_right += CountRight((*pieces)[i].text);
  }
  if (num_left == num_right) return;
  std::vector<std::vector<Fragment>> cell;
  cell.reserve(members.size());
  for (const size_t i : members) cell.push_back(Fragments((*pieces)[i].text));
  MatchFragments(&cell);
  for (size_t m = 0; m < members.size(); ++m) (*pieces)[members[m]].text = JoinFragments(cell[m]);
}

// Array number (0: outside all), row and column of each text piece; false if arrays nest badly.
using CellKey = std::tuple<int, int, int>;
bool GroupCells(const std::vector<Piece>& pieces, std::map<CellKey, std::vector<size_t>>* cells) {
  std::vector<CellKey> stack;
  int num_arrays = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    switch (pieces[i].kind) {
      case PieceKind::kText:
        (*cells)[stack.empty() ? CellKey{0, 0, 0} : stack.back()].push_back(i);
        break;
      case PieceKind::kAmpersand:
        if (!stack.empty()) ++std::get<2>(stack.back());
        break;
      case PieceKind::kNewRow:
        if (stack.empty()) break;
        ++std::get<1>(stack.back());
        std::get<2>(stack.back()) = 0;
        break;
      case PieceKind::kOpenArray:
        stack.emplace_back(++num_arrays, 0, 0);
        break;
      case PieceKind::kCloseArray:
        if (stack.empty()) return false;
        stack.pop_back();
        break;
    }
  }
  return stack.empty();
}

}  // namespace

std::string MatchLeftRight(std::string_view latex) {
  if (CountLeft(latex) == CountRight(latex)) return std::string(latex);
  if (CountOf(latex, kBeginArray) != CountOf(latex, kEndArray)) return std::string(latex);
  std::vector<Piece> pieces = Split(latex);
  std::map<CellKey, std::vector<size_t>> cells;
  if (!GroupCells(pieces, &cells)) return std::string(latex);
  const bool has_array = CountOf(latex, kBeginArray) > 0;
  if (has_array) {
    for (const auto& [key, members] : cells) RepairCell(members, &pieces);
  } else {
    RepairCell({0}, &pieces);
  }
  std::string joined;
  for (const Piece& piece : pieces) joined += piece.text;
  return joined;
}

}  // namespace octavo
