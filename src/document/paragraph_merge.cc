#include "document/paragraph_merge.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/utf8.h"
#include "text/unicode.h"

namespace octavo {
namespace {

struct Place {
  const MiddlePage* page;
  MiddleBlock* block;
};

PointBox Union(const std::vector<MiddleLine>& lines) {
  PointBox box = lines.front().bbox;
  for (const MiddleLine& line : lines) {
    box = {std::min(box[0], line.bbox[0]), std::min(box[1], line.bbox[1]),
           std::max(box[2], line.bbox[2]), std::max(box[3], line.bbox[3])};
  }
  return box;
}

// Content of the first span, in the given direction, that has any.
template <typename LineIterator>
std::string_view FirstContent(LineIterator begin, LineIterator end, bool is_reversed) {
  for (auto line = begin; line != end; ++line) {
    const auto& spans = line->spans;
    for (size_t i = 0; i < spans.size(); ++i) {
      const MiddleSpan& span = spans[is_reversed ? spans.size() - 1 - i : i];
      if (span.content && !span.content->empty()) return *span.content;
    }
  }
  return {};
}

bool EndsSentence(std::string_view text) {
  constexpr std::string_view kEnds[] = {".",      "!",      "?",      "\u3002", "\uFF01",
                                        "\uFF1F", ")",      "\uFF09", "\"",     "\u201D",
                                        ":",      "\uFF1A", ";",      "\uFF1B"};
  return std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
  });
}

bool CanJoinWords(std::string_view last, std::string_view first) {
  if (last.empty() || first.empty() || EndsSentence(last)) return false;
  const char32_t c = DecodeUtf8(first).code_point;
  return !IsDecimalDigit(c) && !IsUppercase(c);
}

bool CanJoin(const MiddleBlock& current, const MiddleBlock& previous) {
  if (current.lines.empty() || previous.lines.empty()) return false;
  const PointBox& first_line = current.lines.front().bbox;
  const PointBox& last_line = previous.lines.back().bbox;
  const int first_height = first_line[3] - first_line[1];
  const int last_height = last_line[3] - last_line[1];
  if (first_height <= 0 || last_height <= 0) return false;
  const PointBox box = Union(current.lines);
  const PointBox previous_box = Union(previous.lines);
  if (2 * std::abs(box[0] - first_line[0]) >= first_height) return false;
  if (std::abs(previous_box[2] - last_line[2]) >= last_height) return false;
  if (!CanJoinWords(FirstContent(previous.lines.rbegin(), previous.lines.rend(), true),
                    FirstContent(current.lines.begin(), current.lines.end(), false))) {
    return false;
  }
  const int width = box[2] - box[0];
  const int previous_width = previous_box[2] - previous_box[0];
  const int narrower = std::min(width, previous_width);
  if (narrower <= 0 || std::abs(width - previous_width) >= narrower) return false;
  // The next column: it begins above the end of the block before.
  return current.bbox[1] < previous.bbox[3];
}

// The text before place `i` on its page that it may go on.
MiddleBlock* FindPreviousText(const std::vector<Place>& places, size_t i) {
  for (size_t j = i; j-- > 0;) {
    if (places[j].page != places[i].page) return nullptr;
    MiddleBlock* block = places[j].block;
    if (block->type == "text") return block;
    if (!IsVisualType(block->type)) return nullptr;
  }
  return nullptr;
}

void JoinText(const std::vector<Place>& places, size_t i) {
  MiddleBlock& block = *places[i].block;
  if (!block.merge_prev.value_or(false) || block.lines.empty()) return;
  MiddleBlock* previous = FindPreviousText(places, i);
  if (previous == nullptr || !CanJoin(block, *previous)) return;
  std::move(block.lines.begin(), block.lines.end(), std::back_inserter(previous->lines));
  block.lines.clear();
  block.is_emptied = true;
}

bool IsReferenceList(const MiddleBlock& block) {
  return block.type == "list" && block.sub_type == "ref_text";
}

void JoinReferences(const std::vector<Place>& places, size_t i) {
  if (i == 0 || places[i].block->blocks.empty()) return;
  MiddleBlock& block = *places[i].block;
  MiddleBlock& previous = *places[i - 1].block;
  if (!IsReferenceList(block) || !IsReferenceList(previous)) return;
  for (MiddleBlock& item : block.blocks) {
    for (MiddleLine& line : item.lines) {
      for (MiddleSpan& span : line.spans) {
        if (places[i].page != places[i - 1].page) span.crosses_page = true;
      }
    }
    previous.blocks.push_back(std::move(item));
  }
  block.blocks.clear();
  block.is_emptied = true;
}

}  // namespace

void MergeParagraphs(std::vector<MiddlePage>* pages) {
  std::vector<Place> places;
  for (MiddlePage& page : *pages) {
    for (MiddleBlock& block : page.para_blocks) places.push_back({&page, &block});
  }
  for (size_t i = places.size(); i-- > 0;) {
    if (places[i].block->type == "text") JoinText(places, i);
    if (places[i].block->type == "list") JoinReferences(places, i);
  }
}

}  // namespace octavo
