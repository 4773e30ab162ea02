#include "cli/cmd_chat.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "base/terminal.h"
#include "base/utf8.h"
#include "cli/model_lookup.h"
#include "cli/model_training.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr size_t kMaxQuestionBytes = size_t{1} << 20;

// Turns so far, and the pictures that the first one shows.
class Conversation {
 public:
  explicit Conversation(const ChatOptions& options)
      : options_(options),
        model_dir_(FindModel(options.model.model_dir)),
        card_(ReadModelCard(model_dir_)) {
    for (const std::string& path : options.pictures) pictures_.push_back(ReadPicture(path));
    EngineOptions engine_options = ToEngineOptions(options.model, model_dir_);
    engine_options.max_running = 1;
    // More tokens than any context has: nothing of this conversation is dropped.
    engine_options.prefix_cache_tokens = int64_t{1} << 20;
    engine_options.max_pixels = options.max_pixels;
    engine_ = Engine::Load(engine_options);
  }

  const ModelCard& card() const { return card_; }

  // Prints the answer as it comes and keeps both; nothing is kept of a question that fails.
  void Ask(const std::string& question) {
    const std::optional<Task> task = TaskOfQuestion(question);
    RequireTraining(card_, task);
    std::vector<Content> contents;
    if (messages_.empty()) contents.assign(pictures_.size(), Content::Image());
    contents.push_back(Content::Text(WordsOf(question, task)));
    Request request;
    request.messages = messages_;
    request.messages.push_back(Message::User(std::move(contents)));
    request.pictures = pictures_;
    request.sampling = SamplingOf(options_.answer, task);
    // In some tokenizers a task's prompt is one token; a user's words are only words.
    request.trust_markup = task.has_value() && messages_.empty();
    request.on_token = [](const TokenEvent& event) { WriteStandardOutput(event.text); };
    std::vector<Message> asked = request.messages;
    const Completion completion = engine_->Generate(std::move(request));
    WriteStandardOutput("\n");
    WarnIfCut(completion);
    asked.push_back({Message::Role::kAssistant, {Content::Text(completion.text)}});
    messages_ = std::move(asked);
  }

 private:
  const ChatOptions& options_;
  const std::string model_dir_;
  const ModelCard card_;
  std::vector<Picture> pictures_;
  std::unique_ptr<Engine> engine_;
  std::vector<Message> messages_;
};

// False at the end of standard input.
bool ReadQuestion(bool is_terminal, std::string* question) {
  if (is_terminal) std::fputs("> ", stderr);
  if (!std::getline(std::cin, *question)) {
    if (is_terminal) std::fputs("\n", stderr);
    return false;
  }
  while (!question->empty() && (question->back() == '\r' || question->back() == ' ')) {
    question->pop_back();
  }
  return true;
}

}  // namespace

int RunChat(const ChatOptions& options) {
  const bool is_terminal = IsTerminal(stdin);
  Conversation conversation(options);
  // Who types would find out with the first question.
  if (is_terminal) RequireTraining(conversation.card(), std::nullopt);
  int exit_code = 0;
  for (std::string question; ReadQuestion(is_terminal, &question);) {
    if (question.empty()) continue;
    try {
      if (question.size() > kMaxQuestionBytes) {
        throw Error(ErrorCode::kInvalidArgument, "found a question of more than 1 MiB");
      }
      conversation.Ask(question);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kIo) throw;
      std::fprintf(stderr, "octavo: %s: %s\n", ErrorCodeName(error.code()),
                   PrintableName(error.what(), 8192).c_str());
      if (exit_code == 0) exit_code = ExitCode(error.code());
    }
  }
  return exit_code;
}

}  // namespace octavo
