#include "document/post_process.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/block.h"
#include "document/repair_equation.h"
#include "document/repair_text.h"
#include "document/white_space.h"

namespace octavo {
namespace {

constexpr std::string_view kNonText = "[Non-Text]";

bool HasContent(const ContentBlock& block) {
  return block.content.has_value() && !block.content->empty();
}

bool IsNonText(const ContentBlock& block) {
  return block.content.has_value() && TrimSpace(*block.content) == kNonText;
}

// Blocks whose content "[Non-Text]" stands: their box matters without words.
bool KeepsNonText(std::string_view type) {
  constexpr std::string_view kTypes[] = {"image", "chart",       "table",         "equation",
                                         "list",  "image_block", "equation_block"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// An answer of Image Analysis without a class says nothing that may be shown.
bool IsUntaggedAnalysis(const ContentBlock& block) {
  return (block.type == "image" || block.type == "chart") && HasContent(block) &&
         block.content->find("<|class_start|>") == std::string::npos;
}

void CleanNonText(std::vector<ContentBlock>* blocks) {
  blocks->erase(std::remove_if(blocks->begin(), blocks->end(),
                               [](const ContentBlock& block) {
                                 return IsNonText(block) && block.type != "header" &&
                                        block.type != "footer" && !KeepsNonText(block.type);
                               }),
                blocks->end());
  for (ContentBlock& block : *blocks) {
    if (IsNonText(block) && !KeepsNonText(block.type)) block.content = "";
  }
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

// Each equation_block that covers more than one formula is replaced by one formula; the covered
// ones go. A formula counts for every block that covers it.
void MergeEquationBlocks(std::vector<ContentBlock>* blocks) {
  constexpr double kCoveredShare = 0.9;
  constexpr double kRounding = 1e-9;  // boxes are thousandths; 0.9 itself does not count
  std::vector<bool> is_merged(blocks->size(), false);
  for (ContentBlock& container : *blocks) {
    if (container.type != "equation_block") continue;
    std::vector<std::string> parts;
    std::vector<size_t> members;
    for (size_t i = 0; i < blocks->size(); ++i) {
      const ContentBlock& block = (*blocks)[i];
      if (block.type != "equation" || &block == &container) continue;
      if (CoveredShare(block.bbox, container.bbox) <= kCoveredShare + kRounding) continue;
      parts.push_back(block.content.value_or(""));
      members.push_back(i);
    }
    if (parts.size() < 2) continue;
    for (const size_t i : members) is_merged[i] = true;
    container.content = JoinEquations(parts);
  }
  std::vector<ContentBlock> kept;
  for (size_t i = 0; i < blocks->size(); ++i) {
    ContentBlock& block = (*blocks)[i];
    if (is_merged[i]) continue;
    if (block.type == "equation_block") {
      if (!HasContent(block)) continue;
      block.type = "equation";
    }
    kept.push_back(std::move(block));
  }
  *blocks = std::move(kept);
}

void RepairContents(std::vector<ContentBlock>* blocks) {
  for (ContentBlock& block : *blocks) {
    if (!HasContent(block)) continue;
    if (block.type == "equation") block.content = RepairEquation(*block.content);
    if (block.type == "text") block.content = RepairText(*block.content);
  }
  MergeEquationBlocks(blocks);
  for (ContentBlock& block : *blocks) {
    if (block.type == "equation" && HasContent(block)) block.content = WrapEquation(*block.content);
  }
}

}  // namespace

std::vector<ContentBlock> PostProcess(std::vector<ContentBlock> blocks,
                                      const PostProcessOptions& options) {
  for (ContentBlock& block : blocks) {
    if (block.type == "table" && block.content) {
      block.content = OtslToHtml(*block.content, options.otsl_rule);
      if (options.table_formula_eq_wrap) block.content = WrapTableFormulas(*block.content);
    }
    if (IsUntaggedAnalysis(block)) block.content = "";
    if (block.type == "list_item") block.type = "text";
  }
  CleanNonText(&blocks);
  if (options.simple) return blocks;
  RepairContents(&blocks);
  const auto is_abandoned = [&](const ContentBlock& block) {
    if (block.type == "list") return options.abandon_list;
    return options.abandon_paratext && (IsDiscardedType(block.type) || block.type == "unknown");
  };
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(), is_abandoned), blocks.end());
  return blocks;
}

}  // namespace octavo
