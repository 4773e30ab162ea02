#include "cli/args.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/args_models.h"
#include "cli/args_reading.h"

namespace octavo {
namespace {

constexpr const char* kDescription =
    "octavo reads documents on the computer you already own: page pictures and PDFs in;\n"
    "Markdown with headings, tables and LaTeX, JSON with boxes, or answers to questions out.\n"
    "It needs no network and no GPU; nothing leaves this machine.\n"
    "\n"
    "Start here:\n"
    "  octavo parse report.pdf -o out           out/report.md, pictures in out/images\n"
    "  octavo parse scan.png -o -               Markdown on the screen\n"
    "  octavo ask line.png \"Text Recognition:\"  what it reads in the picture of one line";

constexpr const char* kFooter =
    "\"octavo COMMAND --help\" explains a command. Results go to stdout or files, everything else "
    "to\n"
    "stderr.\n"
    "Exit codes: 0 done, 1 internal error, 2 wrong flag or wish, 3 not found, 4 damaged file,\n"
    "5 not supported, 6 out of memory or over a limit, 7 read or write failed, 130 interrupted.\n"
    "Environment: OCTAVO_MODEL, the model; OCTAVO_ISA, a kernel table (scalar, avx2, …).";

// The first word; CLI11 says of another one only that a command is missing.
bool IsCommandOrFlag(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return true;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return true;
  }
  return false;
}

// "1036x1036" to two numbers; false if it is anything else.
bool SplitImageSize(const std::string& text, BenchOptions* options) {
  char rest = 0;
  return std::sscanf(text.c_str(), "%5dx%5d%c", &options->image_width, &options->image_height,
                     &rest) == 2;
}

// One line for what CLI11 says in two. A flag that no one knows is named first: without it,
// something that is required may not be missing.
std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  std::string command = "octavo";
  std::string what = error.what();
  std::vector<const CLI::App*> apps = {app};
  for (const CLI::App* chosen : app->get_subcommands()) {
    command += " " + chosen->get_name();
    apps.push_back(chosen);
  }
  for (const CLI::App* chosen : apps) {
    for (const std::string& word : chosen->remaining()) {
      if (word == "--") break;  // what follows is no flag
      if (word.size() < 2 || word[0] != '-') continue;
      what = "no flag " + word;
      break;
    }
  }
  constexpr size_t kMaxChars = 400;
  return StrCat("octavo: ", PrintableName(what, kMaxChars), "; ", command,
                " --help shows what is expected\n");
}

}  // namespace

Command ParseArgs(int argc, const char* const* argv) {
  CLI::App app(kDescription, "octavo");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("octavo ") + OCTAVO_VERSION);
  app.failure_message(FailureMessage);
  app.require_subcommand(1);
  ParseCommandOptions parse;
  AskOptions ask;
  std::vector<std::string> ask_words;
  ChatOptions chat;
  EvalOptions eval;
  InspectOptions inspect;
  BenchOptions bench;
  ConvertOptions convert;
  QuantizeOptions quantize;
  ServeOptions serve;
  std::string bench_image = "1036x1036";
  AddParse(&app, &parse);
  AddAsk(&app, &ask_words, &ask);
  AddChat(&app, &chat);
  AddEval(&app, &eval);
  AddInspect(&app, &inspect);
  AddBench(&app, &bench_image, &bench);
  AddConvert(&app, &convert);
  AddQuantize(&app, &quantize);
  AddServe(&app, &serve);
  if (argc <= 1) {
    std::fputs(app.help().c_str(), stdout);
    return ExitNow{0};
  }
  if (!IsCommandOrFlag(app, argv[1])) {
    std::fprintf(stderr, "octavo: no command '%s'%s; octavo --help shows the commands\n",
                 PrintableName(argv[1]).c_str(),
                 std::string_view(argv[1]) == "pull" ? " yet: --model names a model's folder" : "");
    return ExitNow{2};
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ExitNow{app.exit(error) == 0 ? 0 : 2};
  }
  if (app.got_subcommand("parse")) return parse;
  if (app.got_subcommand("eval")) return eval;
  if (app.got_subcommand("inspect")) return inspect;
  if (app.got_subcommand("convert")) return convert;
  if (app.got_subcommand("quantize")) return quantize;
  if (app.got_subcommand("serve")) return serve;
  if (app.got_subcommand("chat")) return chat;
  if (app.got_subcommand("ask")) {
    if (ask_words.size() < 2) {
      std::fprintf(stderr, "octavo: ask: found only '%s', expected PICTURE... \"QUESTION\"\n",
                   PrintableName(ask_words.front()).c_str());
      return ExitNow{2};
    }
    ask.question = ask_words.back();
    ask_words.pop_back();
    ask.pictures = ask_words;
    return ask;
  }
  if (!SplitImageSize(bench_image, &bench)) {
    std::fprintf(stderr, "octavo: --image %s: expected WIDTHxHEIGHT\n", bench_image.c_str());
    return ExitNow{2};
  }
  return bench;
}

void BlankSecrets(int argc, char** argv) {
  constexpr std::string_view kFlag = "--password";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    char* secret = nullptr;
    if (word == kFlag && i + 1 < argc) {
      secret = argv[++i];
    } else if (word.substr(0, kFlag.size() + 1) == "--password=") {
      secret = argv[i] + kFlag.size() + 1;
    }
    for (; secret != nullptr && *secret != 0; ++secret) *secret = '*';
  }
}

}  // namespace octavo
