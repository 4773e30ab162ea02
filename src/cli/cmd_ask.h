// octavo ask: a question about one or more pictures; the answer streams to stdout.
#ifndef OCTAVO_CLI_CMD_ASK_H_
#define OCTAVO_CLI_CMD_ASK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/model_flags.h"
#include "cli/question.h"

namespace octavo {

struct AskOptions {
  std::vector<std::string> pictures;  // PNG or JPEG files, shown to the model in this order
  std::string question;
  AnswerOptions answer;
  ModelFlags model;
  int64_t max_pixels = 0;  // of each picture; 0: the model's own
  bool no_drafts = false;
};

// Prints the answer and a line feed to stdout, as it is generated. One of MinerU's task prompts
// ("Text Recognition:", …) is sent with that task's sampling; a picture that is not what the model
// reads (octavo.json: single lines) is told on stderr. Returns the exit code.
// Throws Error: kUnsupported when the model was not trained for free questions (it says which model
// would be), kInvalidArgument (a file stands where the question is to be), kIo (stdout cannot be
// written), and what loading and generating throw.
int RunAsk(const AskOptions& options);

}  // namespace octavo

#endif  // OCTAVO_CLI_CMD_ASK_H_
