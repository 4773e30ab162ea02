// The program: reads the command line, runs the command, turns errors into one line and an exit
// code.

#include <cstdio>
#include <exception>
#include <new>
#include <variant>

#include "base/file.h"
#include "base/log.h"
#include "base/malloc_settings.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "cli/args.h"
#include "octavo/error.h"

namespace octavo {
namespace {

int Run(const ExitNow& exit_now) { return exit_now.exit_code; }
int Run(const ParseCommandOptions& options) { return RunParse(options); }
int Run(const AskOptions& options) { return RunAsk(options); }
int Run(const ChatOptions& options) { return RunChat(options); }
int Run(const EvalOptions& options) { return RunEval(options); }
int Run(const InspectOptions& options) { return RunInspect(options); }
int Run(const BenchOptions& options) { return RunBench(options); }
int Run(const ConvertOptions& options) { return RunConvert(options); }
int Run(const QuantizeOptions& options) { return RunQuantize(options); }
int Run(const ServeOptions& options) { return RunServe(options); }

int Main(int argc, char** argv) {
  ReserveStandardStreams();
  ReturnLargeBuffersAtOnce();
  ReportFileSizeLimitAsError();
  ReportCutMappingAsError();
  SetLogLevel(LogLevel::kWarning);
  try {
    const Command command = ParseArgs(argc, argv);
    BlankSecrets(argc, argv);
    const int exit_code = std::visit([](const auto& options) { return Run(options); }, command);
    // A result that is not where it was sent to is none.
    if (exit_code == 0) FlushStandardOutput();
    return exit_code;
  } catch (const Error& error) {
    // Messages hold names of files as they are.
    constexpr size_t kMaxBytes = 8192;
    std::fprintf(stderr, "octavo: %s: %s\n", ErrorCodeName(error.code()),
                 PrintableName(error.what(), kMaxBytes).c_str());
    return ExitCode(error.code());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "octavo: resource exhausted: no memory left\n");
    return ExitCode(ErrorCode::kResourceExhausted);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octavo: internal error: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace octavo

int main(int argc, char** argv) { return octavo::Main(argc, argv); }
