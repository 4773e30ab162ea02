#include "document/paragraphs.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "document/ink_items.h"
#include "document/ruled_tables.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }

bool IsCjk(char32_t c) {
  return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0x3000 && c <= 0x30FF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

char32_t LastCodePoint(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80u) --start;
  return DecodeUtf8(text.substr(start)).code_point;
}

// A line with its text; only lines that were read.
struct ReadLine {
  const LayoutLine* line = nullptr;
  const CellTexts* cells = nullptr;
  std::string text;
};

struct Paragraph {
  std::vector<const LayoutLine*> lines;
  std::string text;
  PixelBox box;
  bool is_picture = false;
  bool is_mark = false;   // begins with a list mark
  bool is_table = false;  // text is HTML
};

std::string JoinCells(const CellTexts& cells) {
  std::string text;
  for (const std::string& cell : cells) {
    const std::string_view trimmed = TrimSpace(cell);
    if (trimmed.empty()) continue;
    if (!text.empty()) text += ' ';
    text += trimmed;
  }
  return text;
}

// What the lines of one column have in common.
struct ColumnShape {
  int x0 = 0;
  int x1 = 0;
  double pitch = 0;  // usual distance of lines, bottom to bottom
  size_t num_lines = 0;
};

ColumnShape ShapeOf(const std::vector<ReadLine>& lines, size_t begin, size_t end) {
  ColumnShape shape{lines[begin].line->box.x0, lines[begin].line->box.x1, 0, end - begin};
  std::vector<double> pitches;
  for (size_t i = begin; i < end; ++i) {
    const PixelBox& box = lines[i].line->box;
    shape.x0 = std::min(shape.x0, box.x0);
    shape.x1 = std::max(shape.x1, box.x1);
    if (i > begin) pitches.push_back(box.y1 - lines[i - 1].line->box.y1);
  }
  shape.pitch = Median(pitches);
  return shape;
}

class Grouper {
 public:
  Grouper(const WhitespaceLayout& layout, const std::vector<CellTexts>& texts)
      : rules_(layout.rules) {
    for (size_t i = 0; i < layout.lines.size(); ++i) {
      std::string text = JoinCells(texts[i]);
      if (layout.lines[i].has_bullet && !text.empty()) text.insert(0, "- ");
      if (layout.lines[i].is_picture || !text.empty()) {
        lines_.push_back({&layout.lines[i], &texts[i], std::move(text)});
      }
    }
    std::vector<double> heights;
    std::vector<double> strokes;
    for (const ReadLine& read : lines_) {
      // Every letter votes, so that the running text decides.
      heights.insert(heights.end(), static_cast<size_t>(read.line->num_letters),
                     read.line->letter_height);
      strokes.insert(strokes.end(), static_cast<size_t>(read.line->num_letters),
                     read.line->stroke_width);
    }
    letter_height_ = Median(std::move(heights));
    stroke_width_ = Median(std::move(strokes));
  }

  std::vector<Paragraph> Group() {
    std::vector<Paragraph> paragraphs;
    for (size_t begin = 0; begin < lines_.size();) {
      size_t end = begin + 1;
      while (end < lines_.size() && lines_[end].line->column == lines_[begin].line->column) ++end;
      GroupColumn(begin, end, &paragraphs);
      begin = end;
    }
    return paragraphs;
  }

  // 0: running text. Titles: 1 for letters half as large again as the text's, else 2.
  int TitleLevel(const Paragraph& paragraph, double space_above) const {
    if (paragraph.is_picture || paragraph.is_table || letter_height_ <= 0) return 0;
    double height = 0;
    double stroke = 0;
    for (const LayoutLine* line : paragraph.lines) {
      height = std::max(height, line->letter_height);
      stroke += line->stroke_width / static_cast<double>(paragraph.lines.size());
    }
    const double ratio = height / letter_height_;
    const bool has_letters = std::any_of(paragraph.text.begin(), paragraph.text.end(), [](char c) {
      return IsAsciiLetter(c) || (static_cast<unsigned char>(c) & 0x80u) != 0;
    });
    if (!has_letters || paragraph.text.size() > 200) return 0;
    if (paragraph.lines.size() <= 3 && ratio >= 1.2) return ratio >= 1.5 ? 1 : 2;
    const char last = paragraph.text.back();
    const bool is_sentence = last == '.' || last == ',' || last == ';' || last == ':';
    const bool is_bold = stroke >= 1.3 * stroke_width_ * std::max(1.0, ratio);
    const bool stands_apart = space_above > 0.8 * letter_height_;
    if (paragraph.lines.size() == 1 && paragraph.text.size() <= 80 && is_bold && stands_apart &&
        !is_sentence && ratio >= 0.85) {
      return 2;
    }
    return 0;
  }

 private:
  // The table whose rows begin with line i, or nothing. Moves i to its last line.
  std::optional<Paragraph> TakeTable(size_t end, size_t* i) const {
    std::vector<TableRow> rows;
    for (size_t j = *i; j < end && lines_[j].line->cells.size() > 1; ++j) {
      rows.push_back({lines_[j].line, lines_[j].cells});
    }
    std::string html = RuledTableHtml(rows, rules_);
    if (html.empty()) return std::nullopt;
    Paragraph table{{}, std::move(html), rows.front().line->box, false, false, true};
    for (const TableRow& row : rows) {
      table.lines.push_back(row.line);
      table.box.Include(row.line->box);
    }
    *i += rows.size() - 1;
    return table;
  }

  void GroupColumn(size_t begin, size_t end, std::vector<Paragraph>* paragraphs) {
    const ColumnShape shape = ShapeOf(lines_, begin, end);
    for (size_t i = begin; i < end; ++i) {
      if (std::optional<Paragraph> table = TakeTable(end, &i)) {
        paragraphs->push_back(std::move(*table));
        continue;
      }
      const ReadLine& read = lines_[i];
      const bool is_mark = StartsWithListMark(read.text);
      if (i == begin || StartsParagraph(paragraphs->back(), read, shape)) {
        paragraphs->push_back(
            {{read.line}, read.text, read.line->box, read.line->is_picture, is_mark, false});
        continue;
      }
      Paragraph& paragraph = paragraphs->back();
      paragraph.text = JoinLines(paragraph.text, read.text);
      paragraph.lines.push_back(read.line);
      paragraph.box.Include(read.line->box);
    }
  }

  bool StartsParagraph(const Paragraph& paragraph, const ReadLine& read,
                       const ColumnShape& shape) const {
    const LayoutLine& line = *read.line;
    const LayoutLine& last = *paragraph.lines.back();
    if (paragraph.is_picture || paragraph.is_table || line.is_picture) return true;
    if (line.is_row || last.is_row) return true;
    const double height = std::max(letter_height_, 1.0);
    const double pitch = line.box.y1 - last.box.y1;
    const double usual_pitch = std::max(shape.pitch, 1.2 * height);
    const double size = std::max(1.0, last.letter_height / height);
    if (pitch > std::max(1.4 * usual_pitch, usual_pitch + 0.6 * height) * size) return true;
    const double ratio = line.letter_height / std::max(1.0, last.letter_height);
    if ((ratio > 1.2 || ratio < 1 / 1.2) && line.num_letters > 5 && last.num_letters > 5) {
      return true;
    }
    const int left = paragraph.lines.front()->box.x0;
    if (StartsWithListMark(read.text)) return true;
    if (paragraph.is_mark && line.box.x0 > left + height / 2) return false;
    if (line.box.x0 - last.box.x0 > height && line.box.x0 - shape.x0 > height &&
        last.box.x0 - shape.x0 < height / 2) {
      return true;  // first line indented
    }
    return HadRoomFor(line, last, shape);
  }

  // The line before ended although the next word would have fitted.
  bool HadRoomFor(const LayoutLine& line, const LayoutLine& last, const ColumnShape& shape) const {
    if (shape.num_lines < 3) return false;
    const int word_end = line.gaps.empty() ? line.box.x1 : line.gaps.front().x0;
    const double needed = word_end - line.box.x0 + letter_height_;
    // Ragged lines leave up to some letters free although the word would just have fitted.
    return shape.x1 - last.box.x1 > needed * 1.15 + 2 * letter_height_;
  }

  const std::vector<PixelBox>& rules_;
  std::vector<ReadLine> lines_;
  double letter_height_ = 0;
  double stroke_width_ = 0;
};

// Digits, perhaps between dashes or after "Page", in the lowest or highest twelfth of the page.
bool IsPageNumber(const Paragraph& paragraph, int height) {
  const bool is_at_edge = paragraph.box.y0 * 12 > height * 11 || paragraph.box.y1 * 12 < height;
  if (!is_at_edge || paragraph.text.size() > 16) return false;
  std::string_view text = paragraph.text;
  constexpr std::string_view kPage = "Page ";
  if (text.substr(0, kPage.size()) == kPage) text.remove_prefix(kPage.size());
  const bool has_digit = std::any_of(text.begin(), text.end(), IsAsciiDigit);
  return has_digit && std::all_of(text.begin(), text.end(), [](char c) {
           return IsAsciiDigit(c) || c == '-' || c == ' ' || c == '/' || c == '|';
         });
}

// The box around the list items that follow each other from `first` on.
PixelBox BoxOfItems(const std::vector<Paragraph>& paragraphs, size_t first) {
  PixelBox box = paragraphs[first].box;
  for (size_t i = first + 1; i < paragraphs.size() && paragraphs[i].is_mark; ++i) {
    box.Include(paragraphs[i].box);
  }
  return box;
}

}  // namespace

std::string JoinLines(const std::string& first, const std::string& second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  const size_t n = first.size();
  if (first.back() == '-' && n >= 2 && IsAsciiLetter(first[n - 2]) && IsAsciiLower(second[0])) {
    return first.substr(0, n - 1) + second;
  }
  if (IsCjk(LastCodePoint(first)) && IsCjk(DecodeUtf8(second).code_point)) return first + second;
  return first + " " + second;
}

bool StartsWithListMark(const std::string& text) {
  const DecodedChar c = text.empty() ? DecodedChar{0, 1, true} : DecodeUtf8(text);
  const auto length = static_cast<size_t>(c.num_bytes);
  const auto has_blank_at = [&](size_t i) { return i < text.size() && text[i] == ' '; };
  constexpr std::u32string_view kBullets =
      U"-*+\u2022\u25CF\u25CB\u25A0\u25AA\u2013\u2014\u00B7\u2023\u25E6";
  if (kBullets.find(c.code_point) != std::u32string_view::npos && length > 0) {
    return has_blank_at(length);
  }
  size_t i = 0;
  const bool is_bracket = !text.empty() && (text[0] == '(' || text[0] == '[');
  if (is_bracket) ++i;
  const size_t word = i;
  while (i < text.size() && IsAsciiDigit(text[i])) ++i;
  const bool is_number = i > word && i - word <= 3;
  if (i == word && i < text.size() && IsAsciiLetter(text[i])) ++i;  // one letter: "a)", "(b)"
  if (i == word || i >= text.size()) return false;
  if (is_bracket) return (text[i] == ')' || text[i] == ']') && has_blank_at(i + 1);
  return (text[i] == ')' || (is_number && text[i] == '.')) && has_blank_at(i + 1);
}

std::vector<ContentBlock> GroupParagraphs(const WhitespaceLayout& layout,
                                          const std::vector<CellTexts>& texts, int width,
                                          int height) {
  Grouper grouper(layout, texts);
  const std::vector<Paragraph> paragraphs = grouper.Group();
  const auto to_bbox = [&](const PixelBox& box) -> std::array<double, 4> {
    return {static_cast<double>(box.x0) / width, static_cast<double>(box.y0) / height,
            static_cast<double>(box.x1) / width, static_cast<double>(box.y1) / height};
  };
  std::vector<ContentBlock> blocks;
  for (size_t i = 0; i < paragraphs.size(); ++i) {
    const Paragraph& paragraph = paragraphs[i];
    ContentBlock block;
    block.bbox = to_bbox(paragraph.box);
    block.angle = 0;
    block.type = paragraph.is_picture ? "image" : paragraph.is_table ? "table" : "text";
    if (!paragraph.is_picture) block.content = paragraph.text;
    const bool has_above = i > 0 && paragraphs[i - 1].box.y1 <= paragraph.box.y0;
    const double space_above =
        has_above ? paragraph.box.y0 - paragraphs[i - 1].box.y1 : static_cast<double>(height);
    block.text_level = grouper.TitleLevel(paragraph, space_above);
    if (block.text_level > 0) block.type = "title";
    if (block.type == "text" && IsPageNumber(paragraph, height)) {
      block.type = "page_number";
      block.text_level = 0;
    }
    const bool is_item = paragraph.is_mark && block.type == "text";
    const bool next_is_item = i + 1 < paragraphs.size() && paragraphs[i + 1].is_mark;
    const bool follows_item = i > 0 && paragraphs[i - 1].is_mark && blocks.back().type == "text";
    if (is_item && next_is_item && !follows_item) {
      blocks.push_back({"list", to_bbox(BoxOfItems(paragraphs, i)), 0});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace octavo
