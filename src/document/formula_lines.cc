#include "document/formula_lines.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/utf8.h"

namespace octavo {
namespace {

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct TextCounts {
  int num_chars = 0;       // without blanks
  int num_word_chars = 0;  // in runs of four letters and more, and in words of three
  int num_relations = 0;
  int num_signs = 0;     // what numbers, dates and page numbers do not have
  int num_commands = 0;  // of LaTeX
  int num_scripts = 0;   // of LaTeX: ^{ and _{
  int num_short_words = 0;
  int num_raised_marks = 0;  // which print raises in text, too
  bool has_ideographs = false;
  bool has_inline_latex = false;  // of a model that writes formulas among text
};

template <size_t kCount>
bool IsOneOf(std::string_view word, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Signs between two sides.
bool IsRelation(std::string_view name) {
  constexpr std::string_view kRelations[] = {
      "leq",      "le",     "geq",  "ge",    "neq",  "ne",   "approx", "equiv",      "sim",
      "simeq",    "in",     "cong", "ll",    "gg",   "to",   "mapsto", "rightarrow", "subset",
      "subseteq", "propto", "mid",  "notin", "prec", "succ", "doteq",  "Rightarrow"};
  return IsOneOf(name, kRelations);
}

// The commands that formulas are made of. Others are as likely folders of a path.
bool IsCommand(std::string_view name) {
  constexpr std::string_view kCommands[] = {
      "frac",   "sqrt",   "sum",    "prod",  "int",    "oint",   "lim",     "infty",      "partial",
      "nabla",  "cdot",   "cdots",  "ldots", "times",  "pm",     "div",     "cup",        "cap",
      "forall", "exists", "alpha",  "beta",  "gamma",  "delta",  "epsilon", "varepsilon", "zeta",
      "eta",    "theta",  "lambda", "mu",    "nu",     "xi",     "pi",      "rho",        "sigma",
      "tau",    "phi",    "varphi", "chi",   "psi",    "omega",  "Gamma",   "Delta",      "Theta",
      "Lambda", "Xi",     "Pi",     "Sigma", "Phi",    "Psi",    "Omega",   "left",       "right",
      "sin",    "cos",    "tan",    "log",   "ln",     "exp",    "max",     "min",        "hat",
      "bar",    "tilde",  "vec",    "dot",   "mathrm", "mathbf", "mathcal", "mathbb",     "langle",
      "rangle", "quad",   "prime",  "ell",   "circ"};
  return IsOneOf(name, kCommands) || IsRelation(name);
}

// The bytes of the LaTeX command that the text begins with, 0 if it begins with none. A model may
// leave out the blank before the letters that follow it; there are few of them.
size_t CommandLength(std::string_view text) {
  constexpr size_t kMostFollowing = 2;
  if (text.size() < 2 || text[0] != '\\') return 0;
  size_t end = 1;
  while (end < text.size() && IsAsciiLetter(text[end])) ++end;
  for (size_t length = end; length > 1 && end - length <= kMostFollowing; --length) {
    if (IsCommand(text.substr(1, length - 1))) return length;
  }
  return 0;
}

// One character of a line.
void CountCharacter(char32_t c, TextCounts* counts) {
  constexpr std::u32string_view kRelations = U"=<>+~\u00B1\u00D7\u2248\u2260\u2264\u2265\u2208";
  constexpr std::u32string_view kOfNumbers = U"0123456789.,:-/| ";
  constexpr std::u32string_view kRaised = U"%\"'*\u00B0\u2122\u00AE\u2018\u2019\u201C\u201D";
  constexpr char32_t kFirstIdeograph = 0x2E80;
  constexpr char32_t kNoCharacter = 0xFFFD;  // what was read is not even text
  const auto is_of = [c](std::u32string_view set) {
    return set.find(c) != std::u32string_view::npos;
  };
  if (c != ' ') ++counts->num_chars;
  if (!is_of(kOfNumbers)) ++counts->num_signs;
  if (is_of(kRelations)) ++counts->num_relations;
  if (is_of(kRaised)) ++counts->num_raised_marks;
  if (c >= kFirstIdeograph && c != kNoCharacter) counts->has_ideographs = true;
}

bool IsFunction(std::string_view name) {
  constexpr std::string_view kFunctions[] = {"sin", "cos", "tan", "log", "exp", "lim",
                                             "max", "min", "sup", "inf", "det", "mod"};
  return IsOneOf(name, kFunctions);
}

// Four letters and more, but for a function of a variable ("sinx").
bool IsLongWord(std::string_view word) {
  return word.size() >= 4 && !(word.size() == 4 && IsFunction(word.substr(0, 3)));
}

// Three small letters with blanks or stops around them are a word of a sentence, not a product;
// names of functions are none. `after`: what follows the run.
bool IsShortWord(std::string_view word, char before, std::string_view after) {
  constexpr std::string_view kEnds = " .,;:!?";
  const bool is_small =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  const bool stands_alone =
      before == ' ' && (after.empty() || kEnds.find(after[0]) != std::string_view::npos);
  return word.size() == 3 && is_small && stands_alone && !IsFunction(word);
}

// One line. A command of LaTeX is a sign.
void CountLine(std::string_view text, TextCounts* counts) {
  if (text.find("\\(") != std::string_view::npos) counts->has_inline_latex = true;
  char last = ' ';
  while (!text.empty()) {
    size_t length = CommandLength(text);
    if (length > 0) {
      ++counts->num_chars;
      ++counts->num_signs;
      ++counts->num_commands;
      if (IsRelation(text.substr(1, length - 1))) ++counts->num_relations;
    } else if (IsAsciiLetter(text[0])) {
      while (length < text.size() && IsAsciiLetter(text[length])) ++length;
      const std::string_view run = text.substr(0, length);
      const int num_letters = static_cast<int>(length);
      counts->num_chars += num_letters;
      counts->num_signs += num_letters;
      if (IsLongWord(run)) counts->num_word_chars += num_letters;
      if (IsShortWord(run, last, text.substr(length))) ++counts->num_short_words;
    } else {
      const DecodedChar c = DecodeUtf8(text);
      if (text[0] == '{' && (last == '^' || last == '_')) ++counts->num_scripts;
      CountCharacter(c.code_point, counts);
      length = static_cast<size_t>(c.num_bytes);
    }
    last = text[length - 1];
    text.remove_prefix(length);
  }
}

TextCounts CountText(const std::vector<FormulaLine>& lines, size_t num_lines) {
  TextCounts counts;
  for (size_t i = 0; i < num_lines; ++i) CountLine(lines[i].text, &counts);
  // A sentence of short words has several; one is soon made of a sign that was misread.
  if (counts.num_short_words > 1) counts.num_word_chars += 3 * counts.num_short_words;
  return counts;
}

// Lines that share rows of pixels, or of which one is set much smaller.
bool StandAboveOneAnother(const std::vector<FormulaLine>& lines, size_t num_lines) {
  for (size_t i = 1; i < num_lines; ++i) {
    const LayoutLine& a = *lines[i - 1].line;
    const LayoutLine& b = *lines[i].line;
    if (b.box.y0 < a.box.y1) return true;
    if (std::max(a.letter_height, b.letter_height) >=
        1.3 * std::min(a.letter_height, b.letter_height)) {
      return true;
    }
  }
  return false;
}

}  // namespace

size_t CountFormulaLines(const std::vector<FormulaLine>& lines, const FormulaPlace& place) {
  constexpr int kMinLetters = 3;
  constexpr int kMaxLetters = 100;
  if (lines.empty() || place.letter_height <= 0) return 0;
  const double min_space = 0.5 * place.letter_height;
  PixelBox box = lines[0].line->box;
  const bool stands_apart = box.y0 - place.above >= min_space;
  size_t num_lines = 1;
  int num_letters = lines[0].line->num_letters;
  int num_scripts = lines[0].line->num_scripts;
  int num_equals = lines[0].line->num_equals;
  while (num_lines < lines.size() && lines[num_lines].line->box.y0 - box.y1 < min_space) {
    const LayoutLine& line = *lines[num_lines].line;
    if (++num_lines > kMaxFormulaLines) return 0;
    box.Include(line.box);
    num_letters += line.num_letters;
    num_scripts += line.num_scripts;
    num_equals += line.num_equals;
  }
  if (num_letters < kMinLetters || num_letters > kMaxLetters) return 0;
  // Cells, or a drawing made of characters. The parts of fractions may stand far apart, too.
  const bool has_rows_only =
      std::all_of(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(num_lines),
                  [](const FormulaLine& part) { return part.line->is_row; });
  if (has_rows_only && (num_lines == 1 || num_scripts == 0)) return 0;
  const TextCounts text = CountText(lines, num_lines);
  const bool has_words = 4 * text.num_word_chars > text.num_chars;
  if (text.num_signs == 0 || text.has_ideographs || text.has_inline_latex || has_words) return 0;
  num_scripts = std::max(0, num_scripts - text.num_raised_marks) + text.num_scripts;
  const bool is_indented =
      box.x0 - place.x0 >= 2 * place.letter_height && place.x1 - box.x1 >= 2 * place.letter_height;
  // Below a short last line of a paragraph print may leave no space.
  const bool was_read_as_formula = text.num_commands + text.num_scripts > 0;
  if (!stands_apart && !(is_indented && was_read_as_formula)) return 0;
  const bool has_parts = num_scripts > 0 || StandAboveOneAnother(lines, num_lines);
  const bool has_relation = text.num_relations > 0 || num_equals > 0;
  const bool is_formula =
      has_parts ? is_indented || has_relation || num_scripts > 1 : is_indented && has_relation;
  return is_formula ? num_lines : 0;
}

}  // namespace octavo
