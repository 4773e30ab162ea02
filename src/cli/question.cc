#include "cli/question.h"

#include <cstdio>

#include "base/str_cat.h"
#include "base/utf8.h"

namespace octavo {

std::optional<Task> TaskOfQuestion(std::string_view question) {
  if (!question.empty() && question.front() == '\n') question.remove_prefix(1);
  for (const Task task :
       {Task::kLayout, Task::kText, Task::kTable, Task::kEquation, Task::kImage}) {
    if (TaskPrompt(task).substr(1) == question) return task;
  }
  return std::nullopt;
}

SamplingParams SamplingOf(const AnswerOptions& options, std::optional<Task> task) {
  SamplingParams sampling = task ? TaskSampling(*task) : SamplingParams{};
  sampling.max_new_tokens = options.max_new_tokens;
  if (options.temperature > 0) {
    sampling.temperature = options.temperature;
    sampling.top_k = 0;
    sampling.top_p = 1;
  }
  sampling.seed = options.seed;
  return sampling;
}

std::string WordsOf(std::string_view question, std::optional<Task> task) {
  return task ? std::string(TaskPrompt(*task)) : StrCat("\n", question);
}

void WarnOfWhatIsNoLine(const ModelCard& card, const Picture& picture, const std::string& path) {
  const int64_t line_height = card.line_height_px;
  if (line_height == 0 || picture.height == 0) return;
  const int64_t width_as_line = picture.width * line_height / picture.height;
  const bool is_too_wide = card.line_max_width_px > 0 && width_as_line > card.line_max_width_px;
  if (picture.height <= 2 * line_height && !is_too_wide) return;
  std::fprintf(
      stderr,
      "octavo: %s: found %d x %d pixels, but %s reads a single line about %d pixels high%s; "
      "the answer may be wrong. octavo parse reads pages\n",
      PrintableName(path).c_str(), picture.width, picture.height,
      card.name.empty() ? "this model" : PrintableName(card.name).c_str(), card.line_height_px,
      card.line_max_width_px > 0 ? StrCat(" and up to ", card.line_max_width_px, " wide").c_str()
                                 : "");
}

void WarnIfCut(const Completion& completion) {
  if (completion.finish_reason != FinishReason::kLength) return;
  std::fprintf(stderr, "octavo: the answer was cut after %lld tokens\n",
               static_cast<long long>(completion.usage.completion_tokens));
}

}  // namespace octavo
