// Flags of the commands that read pages.
#ifndef OCTAVO_CLI_ARGS_READING_H_
#define OCTAVO_CLI_ARGS_READING_H_

#include <string>
#include <vector>

#include "cli/cmd_ask.h"
#include "cli/cmd_chat.h"
#include "cli/cmd_eval.h"
#include "cli/cmd_parse.h"
#include "cli/cmd_serve.h"

namespace CLI {
class App;
}

namespace octavo {

void AddParse(CLI::App* root, ParseCommandOptions* options);
// words: pictures, then the question.
void AddAsk(CLI::App* root, std::vector<std::string>* words, AskOptions* options);
void AddChat(CLI::App* root, ChatOptions* options);
void AddEval(CLI::App* root, EvalOptions* options);
void AddServe(CLI::App* root, ServeOptions* options);

}  // namespace octavo

#endif  // OCTAVO_CLI_ARGS_READING_H_
