#include "cli/cmd_ask.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "cli/model_lookup.h"
#include "cli/model_training.h"
#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {
namespace {

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

}  // namespace

int RunAsk(const AskOptions& options) {
  RefuseSwappedWords(options);
  const std::string model_dir = FindModel(options.model.model_dir);
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
  contents.push_back(Content::Text(WordsOf(options.question, task)));
  request.messages = {Message::User(std::move(contents))};
  // In some tokenizers a task's prompt is one token; a user's words are only words.
  request.trust_markup = task.has_value();
  request.sampling = SamplingOf(options.answer, task);
  request.on_token = [](const TokenEvent& event) { WriteStandardOutput(event.text); };

  EngineOptions engine_options = ToEngineOptions(options.model, model_dir);
  engine_options.drafting = !options.no_drafts;
  engine_options.max_pixels = options.max_pixels;
  const auto engine = Engine::Load(engine_options);
  const Completion completion = engine->Generate(std::move(request));
  WriteStandardOutput("\n");
  WarnIfCut(completion);
  return 0;
}

}  // namespace octavo
