#include "cli/cmd_ask.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "cli/model_lookup.h"
#include "cli/model_training.h"
#include "document/model_card.h"
#include "document/prompts.h"
#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// The task whose prompt this is, with or without the line feed that the prompts begin with.
std::optional<Task> TaskOfQuestion(std::string_view question) {
  if (!question.empty() && question.front() == '\n') question.remove_prefix(1);
  for (const Task task :
       {Task::kLayout, Task::kText, Task::kTable, Task::kEquation, Task::kImage}) {
    if (TaskPrompt(task).substr(1) == question) return task;
  }
  return std::nullopt;
}

SamplingParams Sampling(const AskOptions& options, std::optional<Task> task) {
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

// A file where the question is to be, and none where the first picture is: the words stand in
// another order than is read.
void RefuseSwappedWords(const AskOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(options.question, ignored)) return;
  throw Error(ErrorCode::kInvalidArgument,
              StrCat("found the file ", PrintableName(options.question),
                     " where the question is to be; octavo ask PICTURE... \"QUESTION\": the "
                     "question comes last"));
}

// Models that read single lines answer to a page, too, but not with what is on it.
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

}  // namespace

int RunAsk(const AskOptions& options) {
  RefuseSwappedWords(options);
  const std::string model_dir = FindModel(options.model_dir);
  const std::optional<Task> task = TaskOfQuestion(options.question);
  const ModelCard card = ReadModelCard(model_dir);
  RequireTraining(card, task);

  Request request;
  std::vector<Content> contents;
  for (const std::string& path : options.pictures) {
    request.pictures.push_back(ReadPicture(path));
    if (task == Task::kText) WarnOfWhatIsNoLine(card, request.pictures.back(), path);
    contents.push_back(Content::Image());
  }
  // As MinerU's prompts do, the question stands on a line of its own under the pictures.
  contents.push_back(
      Content::Text(task ? std::string(TaskPrompt(*task)) : "\n" + options.question));
  request.messages = {Message::User(std::move(contents))};
  // In some tokenizers a task's prompt is one token; a user's words are only words.
  request.trust_markup = task.has_value();
  request.sampling = Sampling(options, task);
  request.on_token = [](const TokenEvent& event) { WriteStandardOutput(event.text); };

  const auto engine = Engine::Load({.model_dir = model_dir,
                                    .compute = options.compute,
                                    .attention = options.attention,
                                    .num_threads = options.num_threads,
                                    .memory_limit_bytes = options.memory_limit,
                                    .max_pixels = options.max_pixels});
  const Completion completion = engine->Generate(std::move(request));
  WriteStandardOutput("\n");
  if (completion.finish_reason == FinishReason::kLength) {
    std::fprintf(stderr, "octavo: the answer was cut after %lld tokens\n",
                 static_cast<long long>(completion.usage.completion_tokens));
  }
  return 0;
}

}  // namespace octavo
