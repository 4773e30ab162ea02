#include "document/caption_fragments.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "document/block.h"
#include "document/table_continuation.h"

namespace octavo {
namespace {

constexpr int kMinGap = 12;  // points

bool IsFragment(const MiddleBlock& block) {
  return block.type == "text" || block.type == "footnote";
}

int HeightOf(const MiddleBlock& block) { return std::max(block.bbox[3] - block.bbox[1], 1); }

// How far above something a line of this height may stand to belong to it.
double MaxGap(int height) { return std::max<double>(kMinGap, height * 1.5); }

void MakeCaption(MiddleBlock* block) {
  block->type = "caption";
  block->merge_prev.reset();
}

bool IsNearTable(const MiddleBlock& block, const MiddleBlock& table) {
  const int width = std::max(table.bbox[2] - table.bbox[0], 1);
  const double tolerance = std::max<double>(kMinGap, width * 0.03);
  return block.bbox[2] >= table.bbox[0] - tolerance && block.bbox[0] <= table.bbox[2] + tolerance;
}

std::string WordsOf(const MiddleBlock& block) {
  std::string words;
  for (const MiddleLine& line : block.lines) {
    for (const MiddleSpan& span : line.spans) words += span.content.value_or("");
  }
  return words;
}

// Blocks that count in reading order, without headers and the like.
std::vector<MiddleBlock*> WithoutDiscarded(std::vector<MiddleBlock>* blocks) {
  std::vector<MiddleBlock*> out;
  for (MiddleBlock& block : *blocks) {
    if (!IsDiscardedType(block.type)) out.push_back(&block);
  }
  return out;
}

bool StandsOnCaptionLine(const MiddleBlock& caption, const MiddleBlock& text,
                         const MiddleBlock& body) {
  const int caption_height = HeightOf(caption);
  const int text_height = HeightOf(text);
  const int overlap =
      std::min(caption.bbox[3], text.bbox[3]) - std::max(caption.bbox[1], text.bbox[1]);
  const double centre_distance =
      std::abs((caption.bbox[1] + caption.bbox[3]) / 2.0 - (text.bbox[1] + text.bbox[3]) / 2.0);
  const int higher = std::max(caption_height, text_height);
  const bool is_same_line =
      static_cast<double>(overlap) / std::min(caption_height, text_height) >= 0.6 ||
      centre_distance <= higher * 0.5;
  const int gap = body.bbox[1] - std::max(caption.bbox[3], text.bbox[3]);
  return is_same_line && gap >= 0 && gap <= MaxGap(higher);
}

void PromoteOnCaptionLines(std::vector<MiddleBlock>* blocks) {
  if (blocks->size() < 3) return;
  for (size_t i = 0; i < blocks->size(); ++i) {
    MiddleBlock& block = (*blocks)[i];
    if (!IsFragment(block)) continue;
    const auto counts = [](const MiddleBlock& b) { return !IsDiscardedType(b.type); };
    const auto here = blocks->begin() + static_cast<ptrdiff_t>(i);
    const auto before = std::find_if(std::make_reverse_iterator(here), blocks->rend(), counts);
    const auto after = std::find_if(std::next(here), blocks->end(), counts);
    if (before == blocks->rend() || after == blocks->end()) continue;
    if (before->type != "caption" || !IsBodyType(after->type)) continue;
    if (StandsOnCaptionLine(*before, block, *after)) MakeCaption(&block);
  }
}

// Captions and text stacked closely above the table, from top to bottom.
std::vector<MiddleBlock*> FindStackAbove(const MiddleBlock& table,
                                         std::vector<MiddleBlock>* blocks) {
  std::vector<MiddleBlock*> above;
  for (MiddleBlock& block : *blocks) {
    if ((block.type == "caption" || IsFragment(block)) && block.bbox[3] <= table.bbox[1] &&
        IsNearTable(block, table)) {
      above.push_back(&block);
    }
  }
  // From the lowest up; of those that begin at the same height the later one first.
  std::sort(above.begin(), above.end(), [](const MiddleBlock* a, const MiddleBlock* b) {
    return a->bbox[1] != b->bbox[1] ? a->bbox[1] > b->bbox[1] : a->index > b->index;
  });
  std::vector<MiddleBlock*> stack;
  int top = table.bbox[1];
  int height = 1;
  for (MiddleBlock* block : above) {
    height = std::max(height, HeightOf(*block));
    const int gap = top - block->bbox[3];
    if (gap < 0 || gap > MaxGap(height)) break;
    stack.push_back(block);
    top = block->bbox[1];
  }
  std::reverse(stack.begin(), stack.end());
  return stack;
}

void PromoteUnderCaptions(std::vector<MiddleBlock>* blocks) {
  for (const MiddleBlock& table : *blocks) {
    if (table.type != "table_body") continue;
    const std::vector<MiddleBlock*> stack = FindStackAbove(table, blocks);
    const auto last_caption = std::find_if(
        stack.rbegin(), stack.rend(), [](const auto* block) { return block->type == "caption"; });
    if (last_caption == stack.rend()) continue;
    for (auto block = last_caption.base(); block != stack.end(); ++block) MakeCaption(*block);
  }
}

void PromoteContinuations(std::vector<MiddleBlock>* blocks) {
  const std::vector<MiddleBlock*> counted = WithoutDiscarded(blocks);
  size_t num_leading = 0;
  while (num_leading < counted.size() && IsFragment(*counted[num_leading]) &&
         IsTableContinuation(WordsOf(*counted[num_leading]))) {
    ++num_leading;
  }
  if (num_leading == 0 || num_leading >= counted.size()) return;
  const MiddleBlock& table = *counted[num_leading];
  if (table.type != "table_body") return;
  int top = table.bbox[1];
  int height = 1;
  for (size_t i = num_leading; i-- > 0;) {
    const MiddleBlock& block = *counted[i];
    height = std::max(height, HeightOf(block));
    const int gap = top - block.bbox[3];
    const double max_overlap = std::max(2.0, HeightOf(block) * 0.3);
    if (!IsNearTable(block, table) || gap > MaxGap(height) || gap < -max_overlap) return;
    top = block.bbox[1];
  }
  for (size_t i = 0; i < num_leading; ++i) MakeCaption(counted[i]);
}

}  // namespace

bool IsBodyType(std::string_view type) noexcept {
  return type == "image_body" || type == "image_block_body" || type == "table_body" ||
         type == "chart_body" || type == "code_body";
}

void PromoteCaptionFragments(std::vector<MiddleBlock>* blocks) {
  PromoteOnCaptionLines(blocks);
  // The reference looks for both only where there are three blocks or more.
  if (blocks->size() >= 3) PromoteUnderCaptions(blocks);
  PromoteContinuations(blocks);
}

}  // namespace octavo
