// octavo chat: questions about pictures, one after the other; the model keeps the earlier turns.
#ifndef OCTAVO_CLI_CMD_CHAT_H_
#define OCTAVO_CLI_CMD_CHAT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/question.h"

namespace octavo {

struct ChatOptions {
  std::vector<std::string> pictures;  // shown to the model in this order, before the first question
  AnswerOptions answer;
  ModelFlags model;
  int64_t max_pixels = 0;  // of each picture; 0: the model's own
};

// Reads questions from standard input, a line each, until it ends; answers stream to stdout, a line
// feed after each. On a terminal a prompt stands on stderr. What one question costs is its own
// words: pictures and earlier turns stay in the prefix cache. A question that fails is told and
// forgotten. Returns the exit code, that of the first question that failed.
// Throws Error: kUnsupported (the model was not trained for free questions and standard input is a
// terminal), kIo (stdout cannot be written), and what loading throws.
int RunChat(const ChatOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_CHAT_H_
