#include "document/post_process.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/block.h"
#include "document/image_analysis.h"
#include "document/repair_equation.h"
#include "document/repair_text.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr std::string_view kNonText = "[Non-Text]";

bool HasContent(const ContentBlock& block) {
  return block.content.has_value() && !block.content->empty();
}

// Blocks whose content "[Non-Text]" stands: their box matters without words.
bool KeepsNonText(std::string_view type) {
  constexpr std::string_view kTypes[] = {"image", "chart",       "table",         "equation",
                                         "list",  "image_block", "equation_block"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

void ReadAnswer(const PostProcessOptions& options, ContentBlock* block) {
  const bool is_picture = block->type == "image" || block->type == "chart";
  if (block->type == "table" && block->content) {
    block->content = OtslToHtml(*block->content, options.otsl_rule);
  } else if (is_picture && HasContent(*block)) {
    ApplyImageAnalysis(options.otsl_rule, block);
  }
  if (block->type == "table" && block->content && options.table_formula_eq_wrap) {
    block->content = WrapTableFormulas(*block->content);
  }
  if (block->type == "list_item") block->type = "text";
}

// The model saw a place, but no words. Headers and footers keep the place.
bool IsDroppedNonText(const ContentBlock& block) {
  return IsNonText(block) && block.type != "header" && block.type != "footer" &&
         !KeepsNonText(block.type);
}

// Occurrences of \tag{…} become (…). Returns how many there were.
int ReplaceTags(std::string* latex) {
  constexpr std::string_view kTag = "\\tag";
  int count = 0;
  std::string out;
  size_t begin = 0;
  for (size_t i = latex->find(kTag); i != std::string::npos; i = latex->find(kTag, i + 1)) {
    size_t open = i + kTag.size();
    while (open < latex->size() && IsSpace(static_cast<unsigned char>((*latex)[open]))) ++open;
    if (open >= latex->size() || (*latex)[open] != '{') continue;
    const size_t close = latex->find('}', open);
    if (close == std::string::npos) continue;
    out += latex->substr(begin, i - begin) + "(" + latex->substr(open + 1, close - open - 1) + ")";
    begin = close + 1;
    ++count;
  }
  out += latex->substr(begin);
  *latex = std::move(out);
  return count;
}

// The formulas under an equation_block, as rows of one array.
std::string JoinEquations(const std::vector<std::string>& parts) {
  std::string rows;
  for (const std::string& part : parts) rows += part + " \\\\ ";
  std::string with_numbers = rows;
  if (ReplaceTags(&with_numbers) > 1) rows = with_numbers;
  return "\\begin{array}{l} " + rows + "\\end{array}";
}

// Numbers of the formulas that the block covers.
std::vector<size_t> CoveredEquations(const std::vector<ContentBlock>& blocks, size_t container) {
  constexpr double kCoveredShare = 0.9;
  std::vector<size_t> covered;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].type == "equation" &&
        CoveredShare(blocks[i].bbox, blocks[container].bbox) > kCoveredShare) {
      covered.push_back(i);
    }
  }
  return covered;
}

// The reference fails on a page where a formula to be joined has no content.
bool MakesReferenceFail(const std::vector<ContentBlock>& blocks) {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].type != "equation_block") continue;
    const std::vector<size_t> covered = CoveredEquations(blocks, i);
    const bool has_null = std::any_of(covered.begin(), covered.end(),
                                      [&](size_t n) { return !blocks[n].content.has_value(); });
    if (covered.size() > 1 && has_null) return true;
  }
  return false;
}

// Each equation_block that covers more than one formula is replaced by one formula; the covered
// ones go. A formula counts for every block that covers it. Other equation_blocks go.
void MergeEquationBlocks(std::vector<ContentBlock>* blocks) {
  std::vector<bool> is_dropped(blocks->size(), false);
  std::vector<size_t> joined;
  for (size_t i = 0; i < blocks->size(); ++i) {
    ContentBlock& container = (*blocks)[i];
    if (container.type != "equation_block") continue;
    const std::vector<size_t> covered = CoveredEquations(*blocks, i);
    is_dropped[i] = covered.size() < 2;
    if (is_dropped[i]) continue;
    std::vector<std::string> parts;
    for (const size_t n : covered) {
      is_dropped[n] = true;
      parts.push_back((*blocks)[n].content.value_or(""));
    }
    container.content = JoinEquations(parts);
    joined.push_back(i);
  }
  for (const size_t i : joined) (*blocks)[i].type = "equation";
  std::vector<ContentBlock> kept;
  for (size_t i = 0; i < blocks->size(); ++i) {
    if (!is_dropped[i]) kept.push_back(std::move((*blocks)[i]));
  }
  *blocks = std::move(kept);
}

template <typename F>
void Drop(std::vector<ContentBlock>* blocks, F is_dropped) {
  blocks->erase(std::remove_if(blocks->begin(), blocks->end(), is_dropped), blocks->end());
}

void RepairContent(ContentBlock* block) {
  if (!HasContent(*block)) return;
  if (block->type == "equation") block->content = RepairEquation(*block->content);
  if (block->type == "text") block->content = RepairText(*block->content);
}

}  // namespace

bool IsNonText(const ContentBlock& block) noexcept {
  return block.content.has_value() && TrimSpace(*block.content) == kNonText;
}

std::vector<ContentBlock> PostProcess(std::vector<ContentBlock> blocks,
                                      const PostProcessOptions& options) {
  for (ContentBlock& block : blocks) {
    ReadAnswer(options, &block);
    if (IsNonText(block) && !KeepsNonText(block.type) && !IsDroppedNonText(block)) {
      block.content = "";
    }
    if (!options.simple) RepairContent(&block);
  }
  if (!options.simple && options.otsl_rule == OtslRule::kReference && MakesReferenceFail(blocks)) {
    return blocks;
  }
  Drop(&blocks, IsDroppedNonText);
  if (options.simple) return blocks;
  MergeEquationBlocks(&blocks);
  for (ContentBlock& block : blocks) {
    if (block.type == "equation" && HasContent(block)) block.content = WrapEquation(*block.content);
  }
  Drop(&blocks, [&](const ContentBlock& block) {
    if (block.type == "list") return options.abandon_list;
    return options.abandon_paratext && (IsDiscardedType(block.type) || block.type == "unknown");
  });
  return blocks;
}

}  // namespace octavo
