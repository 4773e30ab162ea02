// The command line: every flag with its name, default and help in args_*.cc, which alone include
// CLI11.
#ifndef OCTAVO_CLI_ARGS_H_
#define OCTAVO_CLI_ARGS_H_

#include <variant>

#include "cli/cmd_ask.h"
#include "cli/cmd_bench.h"
#include "cli/cmd_chat.h"
#include "cli/cmd_convert.h"
#include "cli/cmd_eval.h"
#include "cli/cmd_inspect.h"
#include "cli/cmd_parse.h"
#include "cli/cmd_quantize.h"
#include "cli/cmd_serve.h"

namespace octavo {

// The wish was answered or refused while reading it (help, version, a wrong flag): end with this.
struct ExitNow {
  int exit_code = 0;
};

using Command =
    std::variant<ExitNow, ParseCommandOptions, AskOptions, ChatOptions, EvalOptions, InspectOptions,
                 BenchOptions, ConvertOptions, QuantizeOptions, ServeOptions>;

// Help and version go to stdout, complaints to stderr with exit code 2.
Command ParseArgs(int argc, const char* const* argv);

// Overwrites passwords, so that lists of processes no longer show them. After ParseArgs.
void BlankSecrets(int argc, char** argv);

}  // namespace octavo

#endif  // OCTAVO_CLI_ARGS_H_
