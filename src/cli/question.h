// A question about pictures, as octavo ask and octavo chat put it to the model.
#ifndef OCTAVO_CLI_QUESTION_H_
#define OCTAVO_CLI_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/model_card.h"
#include "document/prompts.h"
#include "octavo/engine.h"

namespace octavo {

// The task whose prompt this is, with or without the line feed that the prompts begin with.
std::optional<Task> TaskOfQuestion(std::string_view question);

struct AnswerOptions {
  int max_new_tokens = 0;  // 0: up to the model's context
  double temperature = 0;  // 0: greedy
  uint64_t seed = 0;
};

// The sampling of a task, else greedy, with what the user said on top.
SamplingParams SamplingOf(const AnswerOptions& options, std::optional<Task> task);

// The words as they are sent: as MinerU's prompts do, a question stands on a line of its own under
// the pictures.
std::string WordsOf(std::string_view question, std::optional<Task> task);

// Models that read single lines answer to a page, too, but not with what is on it: says so on
// stderr. path: of the picture.
void WarnOfWhatIsNoLine(const ModelCard& card, const Picture& picture, const std::string& path);

// Says on stderr that an answer did not end by itself.
void WarnIfCut(const Completion& completion);

}  // namespace octavo

#endif  // OCTAVO_CLI_QUESTION_H_
