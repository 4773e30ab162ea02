#include "cli/cmd_ask.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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

}  // namespace

int RunAsk(const AskOptions& options) {
  const std::string model_dir = FindModel(options.model_dir);
  const std::optional<Task> task = TaskOfQuestion(options.question);
  RequireTraining(ReadModelCard(model_dir), task);

  Request request;
  std::vector<Content> contents;
  for (const std::string& path : options.pictures) {
    request.pictures.push_back(ReadPicture(path));
    contents.push_back(Content::Image());
  }
  // As MinerU's prompts do, the question stands on a line of its own under the pictures.
  contents.push_back(
      Content::Text(task ? std::string(TaskPrompt(*task)) : "\n" + options.question));
  request.messages = {Message::User(std::move(contents))};
  // In some tokenizers a task's prompt is one token; a user's words are only words.
  request.trust_markup = task.has_value();
  request.sampling = Sampling(options, task);
  request.on_token = [](const TokenEvent& event) {
    std::fwrite(event.text.data(), 1, event.text.size(), stdout);
    std::fflush(stdout);
  };

  const auto engine = Engine::Load({.model_dir = model_dir,
                                    .compute = options.compute,
                                    .num_threads = options.num_threads,
                                    .max_pixels = options.max_pixels});
  const Completion completion = engine->Generate(std::move(request));
  std::fputc('\n', stdout);
  if (completion.finish_reason == FinishReason::kLength) {
    std::fprintf(stderr, "octavo: the answer was cut after %lld tokens\n",
                 static_cast<long long>(completion.usage.completion_tokens));
  }
  return 0;
}

}  // namespace octavo
