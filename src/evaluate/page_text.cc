#include "evaluate/page_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "evaluate/html_scan.h"
#include "evaluate/markdown_lines.h"
#include "text/unicode.h"

namespace octavo {
namespace {

// How far the end of a link's text or of a code span is looked for; so time stays linear.
constexpr size_t kMaxSpanBytes = 2048;
constexpr size_t kMaxFormulaBytes = 4096;

bool IsAsciiPunctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}
bool IsBlank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
// Bytes of other scripts count as letters.
bool IsWordByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Reads text without line marks, from left to right.
class InlineReader {
 public:
  InlineReader(std::string_view text, PageText* page, std::string* out)
      : text_(text), page_(page), out_(out) {}

  void Read() {
    while (at_ < text_.size()) Step();
    RemovePairs();
  }

 private:
  struct Delimiter {
    char mark;
    size_t length;
    size_t place;  // in *out_
  };

  char Next(size_t offset = 1) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\n';
  }
  char Previous() const { return at_ > 0 ? text_[at_ - 1] : '\n'; }
  void Copy() { *out_ += text_[at_++]; }

  void Step() {
    switch (text_[at_]) {
      case '\\':
        return ReadBackslash();
      case '`':
        return ReadCode();
      case '$':
        return ReadDollar();
      case '<':
        return ReadTag();
      case '&': {
        const size_t used = DecodeEntity(text_, at_, out_);
        at_ += used;
        if (used == 0) Copy();
        return;
      }
      case '!':
        if (Next() == '[' && ReadLink(1)) return;
        return Copy();
      case '[':
        if (ReadLink(0)) return;
        return Copy();
      case '*':
      case '_':
      case '~':
        return ReadDelimiter();
      case '\n':
        if (Previous() == '\n') open_.clear();  // emphasis ends with its paragraph
        return Copy();
      default:
        return Copy();
    }
  }

  // Writes the formula between at_ + open and the next `close`; false if that does not come within
  // the paragraph.
  bool ReadFormula(size_t open, std::string_view close) {
    const std::string_view rest = text_.substr(at_ + open, kMaxFormulaBytes);
    const size_t end = rest.substr(0, rest.find("\n\n")).find(close);
    if (end == std::string_view::npos || end == 0) return false;
    const std::string_view body = rest.substr(0, end);
    page_->formulas.emplace_back(body);
    *out_ += body;
    at_ += open + end + close.size();
    return true;
  }

  void ReadBackslash() {
    if (Next() == '(' && ReadFormula(2, "\\)")) return;
    if (Next() == '[' && ReadFormula(2, "\\]")) return;
    ++at_;
    if (at_ < text_.size() && IsAsciiPunctuation(text_[at_])) {
      Copy();
    } else if (at_ < text_.size() && text_[at_] != '\n') {
      *out_ += '\\';
    }
  }

  void ReadDollar() {
    if (Next() == '$') {
      if (ReadFormula(2, "$$")) return;
      Copy();
      return Copy();
    }
    // As pandoc has it: no blank inside the dollars, no digit behind them; so prices stay prices.
    const std::string_view rest = text_.substr(at_ + 1, kMaxFormulaBytes);
    const size_t end = std::min(rest.find("\n\n"), rest.find('$'));
    const bool is_formula = end != std::string_view::npos && end > 0 && rest[end] == '$' &&
                            !IsBlank(rest[0]) && !IsBlank(rest[end - 1]) &&
                            (end + 1 >= rest.size() || !IsDigit(rest[end + 1]));
    if (!is_formula || !ReadFormula(1, "$")) Copy();
  }

  void ReadCode() {
    const std::string_view rest = text_.substr(at_);
    const size_t length = std::min(rest.size(), rest.find_first_not_of('`'));
    const std::string_view marks = rest.substr(0, length);
    for (size_t end = rest.substr(0, kMaxSpanBytes).find(marks, length);
         end != std::string_view::npos;) {
      const size_t run_end = std::min(rest.size(), rest.find_first_not_of('`', end));
      if (run_end - end == length) {
        *out_ += rest.substr(length, end - length);
        at_ += run_end;
        return;
      }
      end = rest.substr(0, kMaxSpanBytes).find(marks, run_end);
    }
    *out_ += marks;
    at_ += length;
  }

  void ReadTag() {
    const std::optional<HtmlTag> tag = ReadInlineHtmlTag(text_, at_);
    if (!tag) return Copy();
    if (tag->name == "table" && !tag->is_closing) return ReadTable();
    at_ += tag->num_bytes;
    if (!IsInlineElement(tag->name)) *out_ += ' ';
  }

  // Keeps the table's HTML and writes the text of its cells.
  void ReadTable() {
    const size_t start = at_;
    size_t depth = 0;
    while (at_ < text_.size()) {
      const std::optional<HtmlTag> tag =
          text_[at_] == '<' ? ReadHtmlTag(text_, at_) : std::optional<HtmlTag>();
      if (!tag) {
        const size_t used = DecodeEntity(text_, at_, out_);
        at_ += used;
        if (used == 0) Copy();
        continue;
      }
      at_ += tag->num_bytes;
      if (!IsInlineElement(tag->name)) *out_ += ' ';
      if (tag->name != "table") continue;
      depth += tag->is_closing ? -size_t{1} : size_t{1};
      if (depth == 0) break;
    }
    page_->tables.emplace_back(text_.substr(start, at_ - start));
  }

  // [text](target): the text is read on, the target left out. `skip`: 1 for a picture's "!".
  bool ReadLink(size_t skip) {
    const std::string_view rest = text_.substr(at_ + skip, kMaxSpanBytes);
    const size_t middle = rest.find("](");
    if (middle == std::string_view::npos) return false;
    const std::string_view label = rest.substr(1, middle - 1);
    if (label.find_first_of("[\n") != std::string_view::npos) return false;
    const size_t end = rest.find_first_of(")\n", middle);
    if (end == std::string_view::npos || rest[end] == '\n') return false;
    InlineReader(label, page_, out_).Read();
    at_ += skip + end + 1;
    return true;
  }

  // A run of * _ or ~~ opens or closes emphasis, or is text.
  void ReadDelimiter() {
    const char mark = text_[at_];
    const std::string_view rest = text_.substr(at_);
    const size_t length = std::min(rest.size(), rest.find_first_not_of(mark));
    const char before = Previous();
    const char after = Next(length);
    bool can_open = !IsBlank(after);
    bool can_close = !IsBlank(before);
    if (mark == '_') {
      can_open = can_open && !IsWordByte(before);
      can_close = can_close && !IsWordByte(after);
    } else if (mark == '~' && length != 2) {
      can_open = can_close = false;
    }
    const Delimiter here = {mark, length, out_->size()};
    out_->append(length, mark);
    at_ += length;
    if (can_close) {
      const auto opener = std::find_if(open_.rbegin(), open_.rend(), [&](const Delimiter& other) {
        return other.mark == mark && other.length == length;
      });
      if (opener != open_.rend()) {
        pairs_.push_back(*opener);
        pairs_.push_back(here);
        open_.erase(opener.base() - 1, open_.end());
        return;
      }
    }
    if (can_open && open_.size() < kMaxOpen) open_.push_back(here);
  }

  // Takes the pairs out of what this reader wrote.
  void RemovePairs() {
    if (pairs_.empty()) return;
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Delimiter& a, const Delimiter& b) { return a.place < b.place; });
    const size_t start = pairs_.front().place;
    std::string kept;
    size_t from = start;
    for (const Delimiter& pair : pairs_) {
      kept.append(*out_, from, pair.place - from);
      from = pair.place + pair.length;
    }
    kept.append(*out_, from);
    out_->replace(start, std::string::npos, kept);
  }

  static constexpr size_t kMaxOpen = 64;

  const std::string_view text_;
  PageText* const page_;
  std::string* const out_;
  size_t at_ = 0;
  std::vector<Delimiter> open_;
  std::vector<Delimiter> pairs_;
};

}  // namespace

std::u32string FoldText(std::string_view text) {
  const std::string normal = NormalizeNfc(ReplaceInvalidUtf8(text));
  std::u32string out;
  bool is_gap = false;
  for (std::string_view rest = normal; !rest.empty();) {
    const DecodedChar c = DecodeUtf8(rest);
    rest.remove_prefix(static_cast<size_t>(c.num_bytes));
    if (IsWhiteSpace(c.code_point)) {
      is_gap = !out.empty();
      continue;
    }
    if (std::exchange(is_gap, false)) out += U' ';
    out += c.code_point;
  }
  return out;
}

PageText ReadPageText(std::string_view markdown) {
  PageText page;
  std::string text;
  const std::string valid = ReplaceInvalidUtf8(markdown);
  for (const MarkdownPiece& piece : RemoveLineMarks(valid)) {
    if (piece.is_literal) {
      text += piece.text;
      continue;
    }
    std::string part;
    InlineReader(piece.text, &page, &part).Read();
    text += part;
  }
  page.text = FoldText(text);
  return page;
}

}  // namespace octavo
