#include "document/captions.h"

#include <algorithm>
#include <cstddef>

namespace octavo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// True if the text begins with the word, one letter of which may be another one.
bool BeginsWith(std::string_view text, std::string_view word) {
  if (text.size() < word.size()) return false;
  int num_wrong = 0;
  for (size_t i = 0; i < word.size(); ++i) {
    if (text[i] != word[i]) ++num_wrong;
  }
  return num_wrong <= 1;
}

// What follows the number that `text` begins with ("12", "3.1", "3-4"); nullptr: no number.
const char* AfterNumber(std::string_view text) {
  size_t i = 0;
  bool has_digit = false;
  const auto is_inside = [&](size_t at) {
    return text[at] == '.' || text[at] == '-';  // between two digits
  };
  while (i < text.size() && (IsDigit(text[i]) || (has_digit && i + 1 < text.size() &&
                                                  is_inside(i) && IsDigit(text[i + 1])))) {
    has_digit = true;
    ++i;
  }
  return has_digit ? text.data() + i : nullptr;
}

bool IsNumberOfCaption(std::string_view text) {
  const char* end = AfterNumber(text);
  if (end == nullptr) return false;
  const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  return rest.empty() || rest[0] == ':' || rest[0] == '.' || rest.substr(0, 2) == " -" ||
         rest.substr(0, 4) == " \u2013" || rest.substr(0, 4) == " \u2014";
}

bool IsNear(const ContentBlock& caption, const ContentBlock& body, double reach) {
  const bool is_beside = caption.bbox[0] >= body.bbox[2] || caption.bbox[2] <= body.bbox[0];
  const double gap = std::max(caption.bbox[1] - body.bbox[3], body.bbox[1] - caption.bbox[3]);
  return !is_beside && gap <= reach;
}

}  // namespace

CaptionKind CaptionKindOf(std::string_view text) {
  struct Word {
    std::string_view word;
    CaptionKind kind;
  };
  constexpr Word kWords[] = {{"Figure ", CaptionKind::kFigure},
                             {"FIGURE ", CaptionKind::kFigure},
                             {"Fig. ", CaptionKind::kFigure},
                             {"Table ", CaptionKind::kTable},
                             {"TABLE ", CaptionKind::kTable}};
  for (const Word& word : kWords) {
    if (BeginsWith(text, word.word) && IsNumberOfCaption(text.substr(word.word.size()))) {
      return word.kind;
    }
  }
  return CaptionKind::kNone;
}

void MarkCaptions(double reach, std::vector<ContentBlock>* blocks) {
  const auto is_at = [&](size_t i, const ContentBlock& caption, std::string_view type) {
    return i < blocks->size() && (*blocks)[i].type == type && IsNear(caption, (*blocks)[i], reach);
  };
  for (size_t i = 0; i < blocks->size(); ++i) {
    ContentBlock& block = (*blocks)[i];
    if (block.type != "text" || !block.content) continue;
    const CaptionKind kind = CaptionKindOf(*block.content);
    if (kind == CaptionKind::kNone) continue;
    // The block before the first has the index of none.
    const bool has_picture = is_at(i - 1, block, "image") || is_at(i + 1, block, "image");
    const bool has_table = is_at(i - 1, block, "table") || is_at(i + 1, block, "table");
    const bool is_figure = kind == CaptionKind::kFigure ? has_picture : !has_table;
    if (has_picture || has_table) block.type = is_figure ? "image_caption" : "table_caption";
  }
}

}  // namespace octavo
