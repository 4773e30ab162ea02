#include "document/formula_lines.h"

#include <algorithm>
#include <string_view>

#include "base/utf8.h"

namespace octavo {
namespace {

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct TextCounts {
  int num_chars = 0;       // without blanks
  int num_word_chars = 0;  // in runs of four letters and more; names of functions have three
  int num_relations = 0;
  int num_signs = 0;         // what numbers, dates and page numbers do not have
  int num_raised_marks = 0;  // which print raises in text, too
  bool has_ideographs = false;
  bool has_latex = false;  // of a model that knows formulas
};

// One character of a line.
void CountCharacter(char32_t c, TextCounts* counts) {
  constexpr std::u32string_view kRelations = U"=<>+~\u00B1\u00D7\u2248\u2260\u2264\u2265\u2208";
  constexpr std::u32string_view kOfNumbers = U"0123456789.,:-/| ";
  constexpr std::u32string_view kRaised = U"%\"'*\u00B0\u2122\u00AE\u2018\u2019\u201C\u201D";
  constexpr char32_t kFirstIdeograph = 0x2E80;
  const auto is_of = [c](std::u32string_view set) {
    return set.find(c) != std::u32string_view::npos;
  };
  if (c != ' ') ++counts->num_chars;
  if (!is_of(kOfNumbers)) ++counts->num_signs;
  if (is_of(kRelations)) ++counts->num_relations;
  if (is_of(kRaised)) ++counts->num_raised_marks;
  if (c >= kFirstIdeograph) counts->has_ideographs = true;
}

TextCounts CountText(const std::vector<FormulaLine>& lines, size_t num_lines) {
  constexpr int kMinWord = 4;
  TextCounts counts;
  for (size_t i = 0; i < num_lines; ++i) {
    int run = 0;
    if (lines[i].text.find("\\(") != std::string_view::npos) counts.has_latex = true;
    for (std::string_view text = lines[i].text; !text.empty();) {
      const DecodedChar c = DecodeUtf8(text);
      run = IsAsciiLetter(text[0]) ? run + 1 : 0;
      if (run == kMinWord) counts.num_word_chars += kMinWord;
      if (run > kMinWord) ++counts.num_word_chars;
      CountCharacter(c.code_point, &counts);
      text.remove_prefix(static_cast<size_t>(c.num_bytes));
    }
  }
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
  if (box.y0 - place.above < min_space) return 0;
  size_t num_lines = 1;
  int num_letters = lines[0].line->num_letters;
  int num_scripts = lines[0].line->num_scripts;
  while (num_lines < lines.size() && lines[num_lines].line->box.y0 - box.y1 < min_space) {
    const LayoutLine& line = *lines[num_lines].line;
    if (++num_lines > kMaxFormulaLines) return 0;
    box.Include(line.box);
    num_letters += line.num_letters;
    num_scripts += line.num_scripts;
  }
  if (num_letters < kMinLetters || num_letters > kMaxLetters) return 0;
  // Cells, or a drawing made of characters; numerators alone may stand far apart.
  const bool has_rows_only =
      std::all_of(lines.begin(), lines.begin() + static_cast<ptrdiff_t>(num_lines),
                  [](const FormulaLine& part) { return part.line->is_row; });
  if (has_rows_only) return 0;
  const TextCounts text = CountText(lines, num_lines);
  if (text.num_signs == 0 || text.has_ideographs || text.has_latex ||
      4 * text.num_word_chars > text.num_chars)
    return 0;
  num_scripts = std::max(0, num_scripts - text.num_raised_marks);
  const bool is_indented =
      box.x0 - place.x0 >= 2 * place.letter_height && place.x1 - box.x1 >= 2 * place.letter_height;
  const bool has_parts = num_scripts > 0 || StandAboveOneAnother(lines, num_lines);
  const bool is_formula = has_parts ? is_indented || text.num_relations > 0 || num_scripts > 1
                                    : is_indented && text.num_relations > 0;
  return is_formula ? num_lines : 0;
}

}  // namespace octavo
