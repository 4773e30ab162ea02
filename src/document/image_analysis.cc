#include "document/image_analysis.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "document/chart_repair.h"
#include "document/mermaid_repair.h"
#include "document/pipe_table.h"
#include "document/text_lines.h"
#include "document/white_space.h"

namespace octavo {
namespace {

// Between <|name_start|> and the next <|name_end|>, trimmed; empty if one is missing.
std::string_view Field(std::string_view answer, std::string_view name) {
  const std::string start = "<|" + std::string(name) + "_start|>";
  const std::string end = "<|" + std::string(name) + "_end|>";
  const size_t begin = answer.find(start);
  if (begin == std::string_view::npos) return {};
  const size_t close = answer.find(end, begin + start.size());
  if (close == std::string_view::npos) return {};
  return TrimSpace(answer.substr(begin + start.size(), close - begin - start.size()));
}

// The content field; an answer that was cut off inside it has it up to the end.
std::string_view ContentField(std::string_view answer) {
  constexpr std::string_view kStart = "<|content_start|>";
  const std::string_view content = Field(answer, "content");
  if (!content.empty()) return content;
  const size_t begin = answer.find(kStart);
  if (begin == std::string_view::npos || answer.rfind(kStart) != begin) return {};
  if (answer.find("<|content_end|>") != std::string_view::npos) return {};
  return answer.substr(begin + kStart.size());
}

std::string TableHtml(std::string_view content, OtslRule rule) {
  const std::string_view text = TrimSpace(content);
  const std::string lower = LowerAscii(text);
  constexpr std::string_view kOpen = "<table";
  constexpr std::string_view kClose = "</table>";
  if (lower.compare(0, kOpen.size(), kOpen) == 0 && lower.size() >= kClose.size() &&
      lower.compare(lower.size() - kClose.size(), kClose.size(), kClose) == 0) {
    return std::string(text);
  }
  if (auto html = PipeTableToHtml(content)) return std::move(*html);
  constexpr std::string_view kTokens[] = {"<nl>", "<fcel>", "<ecel>", "<lcel>", "<ucel>", "<xcel>"};
  const bool is_otsl = std::any_of(std::begin(kTokens), std::end(kTokens), [&](auto token) {
    return content.find(token) != std::string_view::npos;
  });
  return is_otsl ? OtslToHtml(content, rule) : std::string();
}

}  // namespace

void ApplyImageAnalysis(OtslRule otsl_rule, ContentBlock* block) {
  const std::string answer = std::move(*block->content);
  std::string kind = LowerAscii(Field(answer, "class"));
  const std::string_view content = ContentField(answer);
  if (kind == "pure_table") {
    block->type = "table";
    block->content = TableHtml(content, otsl_rule);
  } else if (kind == "pure_formula") {
    block->type = "equation";
    block->content = std::string(content);
  } else if (kind == "chart") {
    block->type = "chart";
    block->sub_type = LowerAscii(Field(answer, "sub_class"));
    std::string table = RepairChart(content);
    if (HasMalformedPipeTable(table)) table.clear();
    block->content = std::move(table);
  } else {
    std::string words(content);
    if (kind == "chemical" || kind == "natural_image") words.clear();
    if (kind == "flowchart") words = RepairMermaid(content);
    block->type = "image";
    block->content = words.empty() ? std::string(Field(answer, "caption")) : std::move(words);
    block->sub_type = std::move(kind);
  }
}

}  // namespace octavo
