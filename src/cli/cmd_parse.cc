#include "cli/cmd_parse.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "cli/gate_file.h"
#include "cli/input_files.h"
#include "cli/layout_name.h"
#include "cli/model_lookup.h"
#include "cli/model_training.h"
#include "cli/progress.h"
#include "cli/result_files.h"
#include "cli/savings_flags.h"
#include "document/model_card.h"
#include "document/page_ranges.h"
#include "document/prompts.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr size_t kMaxStdinBytes = size_t{1} << 29;

// Of the model's files, so that results of other weights are not taken for these. Empty where they
// cannot be read: the engine says so when a page needs it.
std::string StampIfReadable(const std::string& model) {
  try {
    return StampOfModel(model);
  } catch (const Error&) {
    return {};
  }
}

std::string PasswordOf(const ParseCommandOptions& options) {
  if (options.password_file.empty()) return options.password;
  if (options.password_file == "-") return ReadSecretLine("Password of the PDF: ");
  constexpr size_t kMaxBytes = 4096;
  return ReadFirstLine(options.password_file, kMaxBytes);
}

// A page without its blocks' text and its pictures' bytes, for Progress.
Page TellingPart(const Page& page) {
  Page part;
  part.index = page.index;
  part.layout = page.layout;
  part.warnings = page.warnings;
  part.timings = page.timings;
  part.blocks.resize(page.blocks.size());
  return part;
}

// Reads one document after the other with one engine.
class ParseRun {
 public:
  explicit ParseRun(const ParseCommandOptions& options)
      : options_(options),
        password_(PasswordOf(options)),
        writes_to_stdout_(options.output_dir == "-"),
        found_(FindInputFiles(options.inputs)),
        model_dir_(FindModel(options.model.model_dir)),
        watcher_([this] { canceller_.Cancel(); }),
        progress_(ProgressStreams(), found_.files.size() + found_.problems.size()) {
    const std::string stamp = StampIfReadable(model_dir_);
    parse_options_.savings = ChooseSavings(stamp);
    parse_options_.layout = LayoutOfName(options.layout);
    parse_options_.image_analysis = options.image_analysis;
    parse_options_.dpi = options.dpi;
    parse_options_.pages = options.pages;
    parse_options_.password = password_;
    parse_options_.canceller = &canceller_;
    result_options_.output_dir = options.output_dir;
    result_options_.formats = options.formats;
    result_options_.force = options.force;
    result_options_.settings = StrCat(
        OCTAVO_VERSION, " ", stamp, " compute=", options.model.compute,
        " attention=", options.model.attention, " kv_cache_dtype=", options.model.kv_cache_dtype,
        " layout=", options.layout, " image_analysis=", options.image_analysis,
        " pages=", options.pages, " dpi=", options.dpi, " max_pixels=", options.max_pixels,
        " savings=", DescribeSavings(parse_options_.savings));
  }

  int Run() {
    for (const InputProblem& problem : found_.problems) Fail(problem.name, problem.error);
    for (const InputFile& input : found_.files) {
      if (canceller_.cancelled() || !TryInput(input)) break;
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

  // What the flags say; without a word, what the model's gate allows. Never silently.
  Savings ChooseSavings(const std::string& stamp) {
    Quality unsaid = Quality::kBest;
    if (options_.savings.quality.empty() && !stamp.empty()) {
      std::string note;
      unsaid = QualityOfGate(model_dir_, stamp, &note);
      if (!note.empty()) progress_.Note(note);
    }
    const Savings savings = ResolveSavings(options_.savings, unsaid);
    if (unsaid != Quality::kBest) {
      progress_.Note(StrCat("quality ", QualityName(unsaid), " (", DescribeSavings(savings),
                            "), as this model has passed its gate; --quality best saves nothing"));
    }
    return savings;
  }

  void NoteFailure(ErrorCode code) {
    if (exit_code_ == 0) exit_code_ = ExitCode(code);
  }

  // A bad input: the others go on.
  void Fail(const std::string& name, const Error& error) {
    NoteFailure(error.code());
    progress_.FailDocument(name, error);
  }

  // Loads the model when the first page needs it: bad inputs are reported at once.
  Engine& GetEngine() {
    if (engine_ == nullptr) {
      const ModelCard card = ReadModelCard(model_dir_);
      if (parse_options_.layout == ParseOptions::Layout::kModel) {
        RequireTraining(card, Task::kLayout);
      }
      if (parse_options_.image_analysis) RequireTraining(card, Task::kImage);
      EngineOptions engine_options = ToEngineOptions(options_.model, model_dir_);
      engine_options.drafting = !options_.no_drafts;
      engine_options.max_pixels = options_.max_pixels;
      engine_ = Engine::Load(engine_options);
    }
    return *engine_;
  }

  static std::string NameOf(const InputFile& input) {
    return input.is_stdin ? "standard input" : input.path.string();
  }

  // False where the others cannot be read either: without a model, without room for results.
  bool TryInput(const InputFile& input) {
    try {
      ReadInput(input);
      return true;
    } catch (const Error& error) {
      Fail(NameOf(input), error);
    } catch (const std::bad_alloc&) {
      Fail(NameOf(input), Error(ErrorCode::kResourceExhausted, "no memory left"));
    }
    return false;
  }

  // Errors of opening are the input's. What is thrown ends the run: a model that cannot be loaded,
  // a full disk.
  void ReadInput(const InputFile& input) {
    const std::string name = NameOf(input);
    std::optional<Document> document;
    std::optional<ResultFiles> results;
    try {
      InputStamp stamp;
      if (input.is_stdin) {
        if (!WaitForStandardInput([this] { return canceller_.cancelled(); })) return;
        std::string bytes = ReadStandardInput(kMaxStdinBytes);
        stamp = StampOfBytes(bytes, name);
        document = Document::FromBytes(std::move(bytes), name, parse_options_);
      } else {
        // Before it is read: what changes it later makes it another input.
        stamp = StampOfFile(input.path);
        document.emplace(name, parse_options_);
      }
      if (!writes_to_stdout_) OpenResults(input, std::move(stamp), &results);
    } catch (const Error& error) {
      // Nor can other inputs' results be written.
      if (is_output_broken_) throw;
      if (error.code() == ErrorCode::kCancelled) return;
      Fail(name, error);
      return;
    } catch (const std::bad_alloc&) {
      Fail(name, Error(ErrorCode::kResourceExhausted,
                       StrCat(name, ": not enough memory to open the input")));
      return;
    }
    if (!results) {
      ReadToStdout(*document, name);
    } else if (results->is_done()) {
      progress_.SkipDocument(name, results->ResultPath().string());
    } else {
      ReadToFiles(*document, name, &*results);
    }
  }

  void OpenResults(const InputFile& input, InputStamp stamp, std::optional<ResultFiles>* results) {
    try {
      results->emplace(std::move(stamp), input.result_name, result_options_);
    } catch (const Error& error) {
      is_output_broken_ = error.code() == ErrorCode::kIo;
      throw;
    }
  }

  void TellLackingPages(const Document& document, const std::string& name) {
    if (!document.lacks_pages()) return;
    progress_.Note(StrCat(PrintableName(name), ": has ", document.num_pages(),
                          document.num_pages() == 1 ? " page" : " pages",
                          "; the others of --pages ", options_.pages, " are left out"));
  }

  // What became of the pages of one document.
  struct Tally {
    int num_read = 0;
    int num_failed = 0;
    std::optional<Error> first_error;
  };

  // Hands each page that was read to `take`.
  Tally ReadPages(const Document& document, const std::vector<int>& indices,
                  const std::function<void(Page)>& take) {
    Tally tally;
    if (indices.empty()) return tally;
    ParsePages(GetEngine(), document, indices, parse_options_, [&](Page page) {
      ++tally.num_read;
      if (page.error_code) {
        ++tally.num_failed;
        if (!tally.first_error) tally.first_error.emplace(*page.error_code, page.error);
        NoteFailure(*page.error_code);
        progress_.FinishPage(page);
        return;
      }
      // The pixels are not needed to tell of the page, and its text not to count it.
      Page told = TellingPart(page);
      take(std::move(page));
      progress_.FinishPage(told);
    });
    return tally;
  }

  void ReadToStdout(const Document& document, const std::string& name) {
    const std::vector<int>& indices = document.page_indices();
    TellLackingPages(document, name);
    progress_.StartDocument(name, static_cast<int>(indices.size()), 0);
    const Tally tally = ReadPages(document, indices, [&](Page page) {
      // There is no folder for pictures.
      for (ContentBlock& block : page.blocks) block.img_path.clear();
      WriteToStdout(ToMarkdown({std::move(page)}));
    });
    if (tally.num_read < static_cast<int>(indices.size())) return;  // interrupted
    if (tally.num_failed == tally.num_read) {
      progress_.GiveUpDocument(*tally.first_error);
    } else {
      progress_.FinishDocument("-");
    }
  }

  void WriteToStdout(const std::string& markdown) {
    if (markdown.empty()) return;
    progress_.EraseBar();
    if (std::exchange(has_written_, true)) std::fputc('\n', stdout);
    WriteStandardOutput(markdown);
  }

  void ReadToFiles(const Document& document, const std::string& name, ResultFiles* results) {
    std::vector<int> missing;
    for (const int index : document.page_indices()) {
      if (results->page_indices().count(index) == 0) missing.push_back(index);
    }
    const auto num_pages = static_cast<int>(document.page_indices().size());
    const auto num_missing = static_cast<int>(missing.size());
    TellLackingPages(document, name);
    progress_.StartDocument(name, num_pages, num_pages - num_missing);
    const Tally tally =
        ReadPages(document, missing, [&](Page page) { results->Append(std::move(page)); });
    if (tally.num_read < num_missing) return;  // interrupted
    if (tally.num_failed == num_pages) {
      progress_.GiveUpDocument(*tally.first_error);
      return;
    }
    try {
      results->Finish(tally.num_failed == 0);
    } catch (const Error& error) {
      // Something that came to stand in the way of these results alone.
      if (error.code() != ErrorCode::kInvalidArgument) throw;
      Fail(name, error);
      return;
    } catch (const std::bad_alloc&) {
      Fail(name, Error(ErrorCode::kResourceExhausted,
                       StrCat(name, ": not enough memory to write the results")));
      return;
    }
    progress_.FinishDocument(results->ResultPath().string());
  }

  const ParseCommandOptions& options_;
  // Before the watcher, which would keep Ctrl-C from a prompt.
  const std::string password_;
  const bool writes_to_stdout_;
  const FoundInputs found_;
  const std::string model_dir_;
  Canceller canceller_;
  // Before the engine, whose threads must not see the signals.
  InterruptWatcher watcher_;
  Progress progress_;
  ParseOptions parse_options_;
  ResultOptions result_options_;
  std::unique_ptr<Engine> engine_;
  bool is_output_broken_ = false;  // the output folder cannot be written
  bool has_written_ = false;
  int exit_code_ = 0;
};

}  // namespace

int RunParse(const ParseCommandOptions& options) {
  if (options.output_dir.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "-o is empty, expected a folder or -");
  }
  const bool reads_stdin =
      std::find(options.inputs.begin(), options.inputs.end(), "-") != options.inputs.end();
  if (reads_stdin && options.password_file == "-") {
    throw Error(ErrorCode::kInvalidArgument,
                "the input - and --password-file - both want standard input");
  }
  ParsePageRanges(options.pages);  // what is malformed is so for every input
  if (options.output_dir == "-" && options.json_events) {
    throw Error(ErrorCode::kInvalidArgument,
                "--json and -o - both want stdout; give a folder with -o");
  }
  return ParseRun(options).Run();
}

}  // namespace octavo
