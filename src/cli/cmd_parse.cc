#include "cli/cmd_parse.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/interrupt.h"
#include "base/str_cat.h"
#include "base/terminal.h"
#include "cli/input_files.h"
#include "cli/model_lookup.h"
#include "cli/progress.h"
#include "cli/result_files.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

ParseOptions::Layout LayoutOf(const std::string& name) {
  if (name == "model") return ParseOptions::Layout::kModel;
  if (name == "whitespace") return ParseOptions::Layout::kWhitespace;
  return ParseOptions::Layout::kAuto;
}

// Which files a model is made of, so that results of other weights are not taken for these.
std::string StampOfModel(const std::string& model_dir) {
  std::error_code error;
  std::string stamp = fs::absolute(model_dir).lexically_normal().string();
  uintmax_t num_bytes = 0;
  int64_t newest = std::numeric_limits<int64_t>::min();
  for (fs::directory_iterator entry(model_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) continue;
    num_bytes += entry->file_size(ignored);
    newest = std::max<int64_t>(newest, entry->last_write_time(ignored).time_since_epoch().count());
  }
  return StrCat(stamp, " ", num_bytes, " ", newest);
}

// Reads one document after the other with one engine.
class ParseRun {
 public:
  explicit ParseRun(const ParseCommandOptions& options)
      : options_(options),
        writes_to_stdout_(options.output_dir == "-"),
        inputs_(FindInputFiles(options.inputs)),
        model_dir_(FindModel(options.model_dir)),
        watcher_([this] { canceller_.Cancel(); }),
        progress_(ProgressStreams(), inputs_.size()) {
    parse_options_.layout = LayoutOf(options.layout);
    parse_options_.dpi = options.dpi;
    parse_options_.pages = options.pages;
    parse_options_.password = options.password;
    parse_options_.canceller = &canceller_;
    result_options_.output_dir = options.output_dir;
    result_options_.formats = options.formats;
    result_options_.force = options.force;
    result_options_.settings =
        StrCat(OCTAVO_VERSION, " ", StampOfModel(model_dir_), " compute=", options.compute,
               " layout=", options.layout, " pages=", options.pages, " dpi=", options.dpi,
               " max_pixels=", options.max_pixels);
  }

  int Run() {
    for (const InputFile& input : inputs_) {
      if (canceller_.cancelled()) break;
      try {
        ReadInput(input);
      } catch (const Error& error) {
        // A full disk or a model that cannot be loaded ends the run; a bad input does not.
        if (engine_failed_ || (is_opened_ && error.code() == ErrorCode::kIo)) throw;
        NoteFailure(error.code());
        progress_.FailDocument(input.path.string(), error);
      }
    }
    progress_.Finish(options_.timings);
    if (!canceller_.cancelled()) return exit_code_;
    std::fputs(writes_to_stdout_
                   ? "octavo: interrupted\n"
                   : "octavo: interrupted; finished pages are kept, the same command goes on\n",
               stderr);
    return ExitCode(ErrorCode::kCancelled);
  }

 private:
  Progress::Streams ProgressStreams() const {
    Progress::Streams streams;
    streams.events = options_.json_events ? stdout : nullptr;
    streams.is_terminal = IsTerminal(stderr);
    streams.width = TerminalWidth(stderr);
    return streams;
  }

  void NoteFailure(ErrorCode code) {
    if (exit_code_ == 0) exit_code_ = ExitCode(code);
  }

  // Loads the model when the first page needs it: bad inputs are reported at once.
  Engine& GetEngine() {
    if (engine_ == nullptr) {
      engine_failed_ = true;
      engine_ = Engine::Load({.model_dir = model_dir_,
                              .compute = options_.compute,
                              .num_threads = options_.num_threads,
                              .max_pixels = options_.max_pixels});
      engine_failed_ = false;
    }
    return *engine_;
  }

  void ReadInput(const InputFile& input) {
    const std::string name = input.path.string();
    is_opened_ = false;
    const Document document(name, parse_options_);
    is_opened_ = true;
    if (writes_to_stdout_) {
      ReadToStdout(document, name);
    } else {
      ReadToFiles(document, input);
    }
  }

  void ReadToStdout(const Document& document, const std::string& name) {
    progress_.StartDocument(name, static_cast<int>(document.page_indices().size()), 0);
    ParsePages(GetEngine(), document, document.page_indices(), parse_options_, [&](Page page) {
      progress_.FinishPage(page);
      if (page.error_code) NoteFailure(*page.error_code);
      // There is no folder for pictures.
      for (ContentBlock& block : page.blocks) block.img_path.clear();
      const std::string markdown = ToMarkdown({std::move(page)});
      if (markdown.empty()) return;
      if (std::exchange(has_written_, true)) std::fputc('\n', stdout);
      const bool is_written =
          std::fwrite(markdown.data(), 1, markdown.size(), stdout) == markdown.size() &&
          std::fflush(stdout) == 0;
      if (!is_written) throw Error(ErrorCode::kIo, "stdout cannot be written");
    });
  }

  void ReadToFiles(const Document& document, const InputFile& input) {
    const std::string name = input.path.string();
    ResultFiles results(input.path, input.result_name, result_options_);
    if (results.is_done()) {
      progress_.SkipDocument(name, results.MarkdownPath().string());
      return;
    }
    std::vector<int> missing;
    for (const int index : document.page_indices()) {
      if (results.pages().count(index) == 0) missing.push_back(index);
    }
    const auto num_pages = static_cast<int>(document.page_indices().size());
    progress_.StartDocument(name, num_pages, num_pages - static_cast<int>(missing.size()));
    int num_failed = 0;
    int num_read = 0;
    if (!missing.empty()) {
      ParsePages(GetEngine(), document, missing, parse_options_, [&](Page page) {
        ++num_read;
        progress_.FinishPage(page);
        if (page.error_code) {
          ++num_failed;
          NoteFailure(*page.error_code);
          return;
        }
        results.Append(std::move(page));
      });
    }
    if (num_read < static_cast<int>(missing.size())) return;  // interrupted
    if (num_failed == num_pages) return;                      // nothing to write
    results.Finish(num_failed == 0);
    progress_.FinishDocument(results.MarkdownPath().string());
  }

  const ParseCommandOptions& options_;
  const bool writes_to_stdout_;
  const std::vector<InputFile> inputs_;
  const std::string model_dir_;
  Canceller canceller_;
  // Before the engine, whose threads must not see the signals.
  InterruptWatcher watcher_;
  Progress progress_;
  ParseOptions parse_options_;
  ResultOptions result_options_;
  std::unique_ptr<Engine> engine_;
  bool engine_failed_ = false;
  bool is_opened_ = false;  // the input at hand: from here on kIo means that writing failed
  bool has_written_ = false;
  int exit_code_ = 0;
};

}  // namespace

int RunParse(const ParseCommandOptions& options) {
  if (options.output_dir == "-" && options.json_events) {
    throw Error(ErrorCode::kInvalidArgument,
                "--json and -o - both want stdout; give a folder with -o");
  }
  return ParseRun(options).Run();
}

}  // namespace octavo
