#include "document/paragraphs.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "document/captions.h"
#include "document/formula_lines.h"
#include "document/ink_items.h"
#include "document/join_lines.h"
#include "document/lists.h"
#include "document/ruled_tables.h"
#include "document/white_space.h"

namespace octavo {
namespace {

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }

// A line with its text; only lines that were read.
struct ReadLine {
  const LayoutLine* line = nullptr;
  const CellTexts* cells = nullptr;
  std::string text;
  bool is_row = false;  // cells, not words spread over the width of the column
};

enum class Kind { kText, kPicture, kTable, kFormula };

struct Paragraph {
  std::vector<const LayoutLine*> lines;
  std::string text;  // of a table HTML
  PixelBox box;
  Kind kind = Kind::kText;
  ListMark mark;
  bool is_row = false;  // of cells
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
  double pitch = 0;  // usual distance of lines within a paragraph, baseline to baseline
  size_t num_lines = 0;
};

double BaselineOf(const LayoutLine& line) {
  return line.baseline > 0 ? line.baseline : line.box.y1;
}

// letter_height: of the text.
ColumnShape ShapeOf(const std::vector<ReadLine>& lines, size_t begin, size_t end,
                    double letter_height) {
  ColumnShape shape{lines[begin].line->box.x0, lines[begin].line->box.x1, 0, end - begin};
  std::vector<double> pitches;
  bool has_text = false;
  for (size_t i = begin; i < end; ++i) {
    const LayoutLine& line = *lines[i].line;
    if (line.is_picture) continue;
    shape.x0 = has_text ? std::min(shape.x0, line.box.x0) : line.box.x0;
    shape.x1 = has_text ? std::max(shape.x1, line.box.x1) : line.box.x1;
    has_text = true;
    if (i == begin || lines[i - 1].line->is_picture) continue;
    // The parts of formulas stand closer than lines of text can.
    const double pitch = BaselineOf(line) - BaselineOf(*lines[i - 1].line);
    if (pitch > letter_height) pitches.push_back(pitch);
  }
  // Half of the lines may begin paragraphs; those within them are closer.
  std::sort(pitches.begin(), pitches.end());
  if (!pitches.empty()) shape.pitch = pitches[pitches.size() * 3 / 10];
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
        lines_.push_back({&layout.lines[i], &texts[i], std::move(text), false});
      }
    }
    std::vector<double> heights;
    std::vector<double> bodies;
    std::vector<double> strokes;
    for (const ReadLine& read : lines_) {
      // Every letter votes, so that the running text decides.
      heights.insert(heights.end(), static_cast<size_t>(read.line->num_letters),
                     read.line->letter_height);
      bodies.insert(bodies.end(), static_cast<size_t>(read.line->num_letters),
                    read.line->body_height);
      strokes.insert(strokes.end(), static_cast<size_t>(read.line->num_letters),
                     read.line->stroke_width);
    }
    letter_height_ = Median(std::move(heights));
    body_height_ = Median(std::move(bodies));
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

  double letter_height() const { return letter_height_; }

  // 0: running text. Titles: 1 for letters half as large again as the text's, else 2.
  int TitleLevel(const Paragraph& paragraph, double space_above) const {
    if (paragraph.kind != Kind::kText || letter_height_ <= 0) return 0;
    double height = 0;
    double stroke = 0;
    for (const LayoutLine* line : paragraph.lines) {
      height = std::max(height, HeightOf(*line));
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
  // Letter height without what is not the size of print: brackets and slashes reach over letters,
  // and a short line may have no ascender.
  double HeightOf(const LayoutLine& line) const {
    constexpr double kTolerance = 1.1;
    if (line.body_height <= 0 || body_height_ <= 0) return line.letter_height;
    return std::min(line.letter_height,
                    kTolerance * letter_height_ * line.body_height / body_height_);
  }

  // The table whose rows begin with line i, or nothing. Moves i to its last line.
  std::optional<Paragraph> TakeTable(std::span<const TableRow> rows, size_t* i) const {
    std::optional<FoundTable> found = FindTable(rows, rules_);
    if (!found) return std::nullopt;
    Paragraph table{{}, std::move(found->html), found->box, Kind::kTable, {}, false};
    for (size_t j = 0; j < found->num_rows; ++j) table.lines.push_back(rows[j].line);
    *i += found->num_rows - 1;
    return table;
  }

  // The formula that begins with line i, or nothing. Moves i to its last line.
  std::optional<Paragraph> TakeFormula(const ColumnShape& shape, size_t begin, size_t end,
                                       size_t* i) const {
    // One more than a formula has shows that it ends.
    const size_t limit = std::min(end, *i + kMaxFormulaLines + 1);
    std::vector<FormulaLine> lines;
    for (size_t j = *i; j < limit && !lines_[j].line->is_picture; ++j) {
      lines.push_back({lines_[j].line, lines_[j].text});
    }
    const int above = *i > begin ? lines_[*i - 1].line->box.y1 : 0;
    const size_t num_lines = CountFormulaLines(lines, {shape.x0, shape.x1, above, letter_height_});
    if (num_lines == 0) return std::nullopt;
    Paragraph formula{{}, {}, lines_[*i].line->box, Kind::kFormula, {}, false};
    for (size_t j = 0; j < num_lines; ++j) {
      formula.lines.push_back(lines[j].line);
      formula.box.Include(lines[j].line->box);
    }
    *i += num_lines - 1;
    return formula;
  }

  void GroupColumn(size_t begin, size_t end, std::vector<Paragraph>* paragraphs) {
    const ColumnShape shape = ShapeOf(lines_, begin, end, letter_height_);
    std::vector<TableRow> rows;
    for (size_t i = begin; i < end; ++i) {
      lines_[i].is_row = IsRow(i, begin, end, shape);
      rows.push_back({lines_[i].line, lines_[i].cells});
    }
    for (size_t i = begin; i < end; ++i) {
      std::optional<Paragraph> other = TakeTable(std::span(rows).subspan(i - begin), &i);
      if (!other) other = TakeFormula(shape, begin, end, &i);
      if (other) {
        paragraphs->push_back(std::move(*other));
        continue;
      }
      const ReadLine& read = lines_[i];
      if (i == begin || StartsParagraph(paragraphs->back(), read, shape)) {
        paragraphs->push_back({{read.line},
                               read.text,
                               read.line->box,
                               read.line->is_picture ? Kind::kPicture : Kind::kText,
                               ListMarkOf(read.text),
                               read.is_row});
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
    if (paragraph.kind != Kind::kText || line.is_picture) return true;
    if (read.is_row || paragraph.is_row) return true;
    const double height = std::max(letter_height_, 1.0);
    if (IsFarBelow(line, last, shape)) return true;
    if (HasOtherSize(line, last)) return true;
    const int left = paragraph.lines.front()->box.x0;
    const ListMark mark = ListMarkOf(read.text);
    if (mark.kind != ListMark::Kind::kNone && !MayBeSentence(mark, paragraph, line, shape)) {
      return true;
    }
    const bool is_item = paragraph.mark.kind != ListMark::Kind::kNone;
    if (is_item && line.box.x0 > left + height / 2) return false;
    if (line.box.x0 - last.box.x0 > height && line.box.x0 - shape.x0 > height &&
        last.box.x0 - shape.x0 < height / 2) {
      return true;  // first line indented
    }
    return HadRoomFor(line, last, shape);
  }

  // Farther below than lines of a paragraph are. Superscripts and fractions push lines apart, and
  // so do large letters.
  bool IsFarBelow(const LayoutLine& line, const LayoutLine& last, const ColumnShape& shape) const {
    const double height = std::max(letter_height_, 1.0);
    const double usual = std::max(shape.pitch, 1.2 * height);
    const double size = std::max(1.0, HeightOf(last) / height);
    const bool is_regular = line.num_scripts == 0 && last.num_scripts == 0 && size < 1.1 &&
                            line.baseline > 0 && last.baseline > 0;
    const double limit =
        is_regular ? 1.2 * usual + 1.5 : std::max(1.4 * usual, usual + 0.6 * height) * size;
    return BaselineOf(line) - BaselineOf(last) > limit;
  }

  // Both the small letters and the capitals, where the lines have enough of them.
  static bool HasOtherSize(const LayoutLine& line, const LayoutLine& last) {
    constexpr double kMinRatio = 1.2;
    if (line.num_letters <= 5 || last.num_letters <= 5) return false;
    const double ratio = line.letter_height / std::max(1.0, last.letter_height);
    const bool has_body = line.body_height > 0 && last.body_height > 0;
    const double body_ratio = has_body ? line.body_height / last.body_height : ratio;
    return std::min(ratio, body_ratio) > kMinRatio || std::max(ratio, body_ratio) < 1 / kMinRatio;
  }

  // Line i has cells far apart, and is not only spread to the width of the column: then all its
  // gaps are wide, and stand over and under words.
  bool IsRow(size_t i, size_t begin, size_t end, const ColumnShape& shape) const {
    const LayoutLine& line = *lines_[i].line;
    if (!line.is_row) return false;
    const bool fills_column =
        line.box.x0 - shape.x0 < 4 * letter_height_ && shape.x1 - line.box.x1 < letter_height_ / 2;
    if (!fills_column || line.gaps.size() < 2 || end - begin < 2) return true;
    std::vector<double> widths;
    for (const WordGap& gap : line.gaps) widths.push_back(gap.x1 - gap.x0);
    if (3 * Median(widths) < *std::max_element(widths.begin(), widths.end())) return true;
    return std::any_of(line.gaps.begin(), line.gaps.end(), [&](const WordGap& gap) {
      return gap.x1 - gap.x0 > 3 * line.letter_height &&
             ((i > begin && IsBlankIn(*lines_[i - 1].line, gap)) ||
              (i + 1 < end && IsBlankIn(*lines_[i + 1].line, gap)));
    });
  }

  // Most of the gap is blank in the other line, too.
  static bool IsBlankIn(const LayoutLine& line, const WordGap& gap) {
    return std::any_of(line.gaps.begin(), line.gaps.end(), [&](const WordGap& blank) {
      return 2 * (std::min(blank.x1, gap.x1) - std::max(blank.x0, gap.x0)) > gap.x1 - gap.x0;
    });
  }

  // True of a number that begins a line of running text: the line before is full, and both begin at
  // the column's edge.
  bool MayBeSentence(const ListMark& mark, const Paragraph& paragraph, const LayoutLine& line,
                     const ColumnShape& shape) const {
    const LayoutLine& last = *paragraph.lines.back();
    const bool is_item = paragraph.mark.kind != ListMark::Kind::kNone;
    const bool announces_list = !paragraph.text.empty() && paragraph.text.back() == ':';
    return mark.kind != ListMark::Kind::kBullet && !is_item && !announces_list &&
           shape.num_lines >= 3 && line.box.x0 - shape.x0 < letter_height_ / 2 &&
           shape.x1 - last.box.x1 < 3 * letter_height_ && !HadRoomFor(line, last, shape);
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
  double body_height_ = 0;
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

// The paragraphs as lists see them; those of other types are no items.
std::vector<ListItem> ItemsOf(const std::vector<Paragraph>& paragraphs,
                              const std::vector<ContentBlock>& blocks, double letter_height) {
  std::vector<ListItem> items;
  for (size_t i = 0; i < paragraphs.size(); ++i) {
    const Paragraph& paragraph = paragraphs[i];
    const std::vector<const LayoutLine*>& lines = paragraph.lines;
    ListItem item{{}, paragraph.box, static_cast<int>(lines.size())};
    if (blocks[i].type == "text") item.mark = paragraph.mark;
    item.has_print_mark = lines.front()->has_bullet;
    item.is_hanging = lines.size() > 1 && lines[1]->box.x0 > lines[0]->box.x0 + letter_height / 2;
    items.push_back(item);
  }
  return items;
}

// The blocks, a "list" before the items of each.
std::vector<ContentBlock> WithLists(std::vector<ContentBlock> blocks,
                                    const std::vector<ListRun>& lists) {
  std::vector<ContentBlock> out;
  size_t next = 0;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (next < lists.size() && lists[next].begin == i) {
      ContentBlock list{"list", blocks[i].bbox, 0};
      for (size_t j = i + 1; j < lists[next].end; ++j) {
        const std::array<double, 4>& box = blocks[j].bbox;
        list.bbox = {std::min(list.bbox[0], box[0]), std::min(list.bbox[1], box[1]),
                     std::max(list.bbox[2], box[2]), std::max(list.bbox[3], box[3])};
      }
      out.push_back(std::move(list));
      ++next;
    }
    out.push_back(std::move(blocks[i]));
  }
  return out;
}

std::string TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kPicture:
      return "image";
    case Kind::kTable:
      return "table";
    case Kind::kFormula:
      return "equation";
    case Kind::kText:
      break;
  }
  return "text";
}

}  // namespace

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
    block.type = TypeOf(paragraph.kind);
    const bool has_text = paragraph.kind == Kind::kText || paragraph.kind == Kind::kTable;
    if (has_text) block.content = paragraph.text;
    const bool has_above = i > 0 && paragraphs[i - 1].box.y1 <= paragraph.box.y0;
    const double space_above =
        has_above ? paragraph.box.y0 - paragraphs[i - 1].box.y1 : static_cast<double>(height);
    block.text_level = grouper.TitleLevel(paragraph, space_above);
    if (block.text_level > 0) block.type = "title";
    if (block.type == "text" && IsPageNumber(paragraph, height)) {
      block.type = "page_number";
      block.text_level = 0;
    }
    blocks.push_back(std::move(block));
  }
  // Captions stand within some lines of what they belong to.
  constexpr double kCaptionReach = 4;
  MarkCaptions(kCaptionReach * grouper.letter_height() / height, &blocks);
  const std::vector<ListRun> lists =
      FindLists(ItemsOf(paragraphs, blocks, grouper.letter_height()), grouper.letter_height());
  return WithLists(std::move(blocks), lists);
}

}  // namespace octavo
