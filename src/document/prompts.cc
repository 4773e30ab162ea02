#include "document/prompts.h"

namespace octavo {

std::string_view TaskName(Task task) noexcept {
  switch (task) {
    case Task::kLayout:
      return "layout";
    case Task::kText:
      return "text";
    case Task::kTable:
      return "table";
    case Task::kEquation:
      return "equation";
    case Task::kImage:
      return "image";
  }
  return "";
}

std::string_view TaskPrompt(Task task) noexcept {
  switch (task) {
    case Task::kLayout:
      return "\nLayout Detection:";
    case Task::kText:
      return "\nText Recognition:";
    case Task::kTable:
      return "\nTable Recognition:";
    case Task::kEquation:
      return "\nFormula Recognition:";
    case Task::kImage:
      return "\nImage Analysis:";
  }
  return "";
}

std::string_view SystemPrompt() noexcept { return "You are a helpful assistant."; }

SamplingParams TaskSampling(Task task) {
  SamplingParams sampling;
  sampling.temperature = 0.0;
  sampling.top_p = 0.01;
  sampling.top_k = 1;
  sampling.no_repeat_ngram_size = 100;
  sampling.skip_special_tokens = false;
  if (task == Task::kLayout) return sampling;
  sampling.presence_penalty = 1.0;
  sampling.frequency_penalty = task == Task::kTable ? 0.005 : 0.05;
  return sampling;
}

std::optional<Task> TaskOfBlockType(std::string_view type, bool image_analysis) noexcept {
  if (type == "list" || type == "equation_block" || type == "image_block") return std::nullopt;
  if (type == "image" || type == "chart") {
    return image_analysis ? std::optional(Task::kImage) : std::nullopt;
  }
  if (type == "table") return Task::kTable;
  if (type == "equation") return Task::kEquation;
  return Task::kText;
}

}  // namespace octavo
