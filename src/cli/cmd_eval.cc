#include "cli/cmd_eval.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/interrupt.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/eval_inputs.h"
#include "cli/gate_file.h"
#include "cli/layout_name.h"
#include "cli/model_lookup.h"
#include "cli/savings_flags.h"
#include "evaluate/eval_report.h"
#include "evaluate/gate.h"
#include "evaluate/gate_record.h"
#include "evaluate/layout_score.h"
#include "evaluate/score.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A truth is the text of a document; more is no text that anybody wrote beside a page.
constexpr size_t kMaxTruthBytes = size_t{4} << 20;

struct Truth {
  std::string markdown;
  std::optional<std::vector<std::vector<LayoutBox>>> layout;  // by page
};

Truth ReadTruth(const EvalInput& input) {
  Truth truth;
  truth.markdown = ReadFile(input.truth, kMaxTruthBytes);
  if (!IsValidUtf8(truth.markdown)) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(PrintableName(input.truth.string()), ": not UTF-8, expected Markdown"));
  }
  if (!input.layout.empty()) {
    truth.layout = ParseLayoutTruth(ReadFile(input.layout, kMaxTruthBytes),
                                    PrintableName(input.layout.string()));
  }
  return truth;
}

std::vector<LayoutBox> BoxesOf(const Page& page) {
  std::vector<LayoutBox> boxes;
  for (const ContentBlock& block : page.blocks) boxes.push_back({block.type, block.bbox});
  return boxes;
}

// Names of the model folders; where two are equal, the paths as given.
std::vector<std::string> NamesOfModels(const std::vector<std::string>& folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder).lexically_normal();
    names.push_back((path.has_filename() ? path : path.parent_path()).filename().string());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.end(), names[i]) > 1) return folders;
  }
  return names;
}

class EvalRun {
 public:
  explicit EvalRun(const EvalOptions& options)
      : options_(options),
        savings_(SavingsToRun(options)),
        inputs_(FindEvalInputs(options.folder)),
        watcher_([this] { canceller_.Cancel(); }) {}

  int Run() {
    TellLonely();
    std::vector<std::string> folders;
    for (const std::string& wish : options_.model_dirs) folders.push_back(FindModel(wish));
    if (folders.empty()) folders.push_back(FindModel(""));
    const std::vector<std::string> names = NamesOfModels(folders);
    std::vector<std::string> computes = options_.computes;
    if (computes.empty()) computes.emplace_back();
    std::vector<std::string> attentions = options_.attentions;
    if (attentions.empty()) attentions.emplace_back();
    for (size_t i = 0; i < folders.size(); ++i) {
      for (const std::string& compute : computes) {
        for (const std::string& attention : attentions) {
          RunModel(names[i], {.model_dir = folders[i],
                              .compute = compute,
                              .attention = attention,
                              .kv_cache_dtype = options_.kv_cache_dtype,
                              .num_threads = options_.num_threads,
                              .max_pixels = options_.max_pixels});
        }
      }
    }
    if (canceller_.cancelled()) {
      std::fputs("octavo: interrupted\n", stderr);
      return ExitCode(ErrorCode::kCancelled);
    }
    Print();
    if (!options_.gate.empty()) CloseGate(folders.front());
    return exit_code_;
  }

 private:
  void TellLonely() const {
    for (const std::string& name : inputs_.without_truth) {
      std::fprintf(stderr, "octavo: %s: left out: no NAME.md beside it\n",
                   PrintableName(name).c_str());
    }
    for (const std::string& name : inputs_.truth_without_page) {
      std::fprintf(stderr, "octavo: %s: left out: no page of this name\n",
                   PrintableName(name).c_str());
    }
  }

  static std::vector<Savings> SavingsToRun(const EvalOptions& options) {
    if (options.gate.empty()) return {ResolveSavings(options.savings, Quality::kBest)};
    const bool has_switches = !options.savings.quality.empty() || options.savings.prune_blank ||
                              options.savings.layout_side || options.savings.line_height_px;
    if (has_switches) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--gate sets --quality and its switches itself; leave them out");
    }
    if (options.model_dirs.size() > 1 || options.computes.size() > 1 ||
        options.attentions.size() > 1 || options.layouts.size() > 1) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--gate is of one model and one setting; found several");
    }
    // White space alone needs no layout picture, and small pictures little of anything: such a gate
    // says nothing of what parse does.
    const EvalOptions usual;
    if (options.layouts != usual.layouts || options.dpi != usual.dpi ||
        options.max_pixels != usual.max_pixels) {
      throw Error(ErrorCode::kInvalidArgument,
                  "--gate measures what parse does unasked; leave out --layout, --dpi and "
                  "--max-pixels");
    }
    return {SavingsOf(Quality::kBest),
            SavingsOf(ParseQuality(options.gate).value_or(Quality::kBest))};
  }

  // Judges the two results, tells, and writes the record.
  void CloseGate(const std::string& model) {
    std::vector<std::string> reasons;
    // A truth that was lost between the two readings leaves documents that cannot be compared.
    if (results_[0].num_truth_unreadable + results_[1].num_truth_unreadable == 0) {
      reasons = JudgeGate(results_[0], results_[1]);
    }
    for (const std::string& reason : reasons) {
      std::fprintf(stderr, "octavo: gate %s: %s\n", options_.gate.c_str(), reason.c_str());
    }
    if (exit_code_ != 0) {
      std::fprintf(stderr, "octavo: gate %s: not recorded, as not everything could be read\n",
                   options_.gate.c_str());
      return;
    }
    GateEntry entry;
    entry.quality = options_.gate;
    entry.savings = results_[1].savings;
    entry.passed = reasons.empty();
    entry.reasons = reasons;
    for (size_t i = 0; i < 2; ++i) {
      const DocumentResult total = Total(results_[i]);
      entry.num_pages = total.num_pages;
      entry.character_error[i] = total.score.CharacterError();
      entry.seconds_per_page[i] = total.seconds / std::max(1, total.num_pages_timed);
    }
    const fs::path place = WriteGate(model, StampOfModel(model), entry);
    std::fprintf(stderr, "octavo: gate %s: %s, recorded in %s\n", options_.gate.c_str(),
                 entry.passed ? "passed" : "not passed", PrintableName(place.string()).c_str());
  }

  // One engine for all layouts and savings.
  void RunModel(const std::string& name, const EngineOptions& engine_options) {
    if (canceller_.cancelled()) return;
    const auto engine = Engine::Load(engine_options);
    for (const std::string& layout : options_.layouts) {
      for (const Savings& savings : savings_) {
        if (!RunSetting(name, engine.get(), layout, savings)) return;
      }
    }
  }

  // False: interrupted.
  bool RunSetting(const std::string& name, Engine* engine, const std::string& layout,
                  const Savings& savings) {
    RunResult result;
    result.model = name;
    result.compute = engine->info().compute;
    result.attention = engine->info().attention;
    result.kv_cache_dtype = engine->info().kv_cache_dtype;
    result.layout = layout;
    result.savings = DescribeSavings(savings);
    result.num_without_truth = static_cast<int>(inputs_.without_truth.size());
    result.num_truth_without_page = static_cast<int>(inputs_.truth_without_page.size());
    result.digest = kFnvBasis;
    for (const EvalInput& input : inputs_.documents) {
      if (canceller_.cancelled()) return false;
      std::fprintf(stderr, "octavo: %s, %s, %s attention, %s: %s\n", PrintableName(name).c_str(),
                   result.compute.c_str(), result.attention.c_str(), layout.c_str(),
                   PrintableName(input.name).c_str());
      try {
        result.documents.push_back(ReadDocument(*engine, input, layout, savings, &result.digest));
      } catch (const Error& error) {
        // What is wrong with the truth says nothing about the model: the document is left out.
        ++result.num_truth_unreadable;
        NoteFailure(error.code(), StrCat("left out: ", error.what()));
      }
    }
    results_.push_back(std::move(result));
    return true;
  }

  void NoteFailure(ErrorCode code, const std::string& message) {
    if (exit_code_ == 0) exit_code_ = ExitCode(code);
    // Messages hold names of files as they are.
    constexpr size_t kMaxBytes = 8192;
    std::fprintf(stderr, "octavo: %s: %s\n", ErrorCodeName(code),
                 PrintableName(message, kMaxBytes).c_str());
  }

  // Throws for a truth that cannot be read.
  DocumentResult ReadDocument(Engine& engine, const EvalInput& input, const std::string& layout,
                              const Savings& savings, uint64_t* digest) {
    const Truth truth = ReadTruth(input);
    DocumentResult result;
    result.name = input.name;
    std::vector<Page> pages;
    bool is_opened = false;
    const auto give_up = [&](ErrorCode code, const std::string& message) {
      NoteFailure(code, message);
      pages.clear();
      result.num_pages = std::max(result.num_pages, 1);
      result.num_pages_failed = result.num_pages;
    };
    try {
      ParseOptions parse_options;
      parse_options.layout = LayoutOfName(layout);
      parse_options.dpi = options_.dpi;
      parse_options.savings = savings;
      parse_options.canceller = &canceller_;
      const Document document(input.path.string(), parse_options);
      is_opened = true;
      result.num_pages = document.num_pages();
      const Clock::time_point start = Clock::now();
      ParsePages(engine, document, document.page_indices(), parse_options, [&](Page page) {
        if (page.error_code) {
          ++result.num_pages_failed;
          NoteFailure(*page.error_code, StrCat(PrintableName(input.path.string()), ": page ",
                                               page.index + 1, ": ", page.error));
        }
        page.pictures.clear();
        for (ContentBlock& block : page.blocks) block.img_path.clear();
        pages.push_back(std::move(page));
      });
      result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      result.num_pages_timed = static_cast<int>(pages.size());
    } catch (const Error& error) {
      give_up(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      give_up(ErrorCode::kResourceExhausted,
              StrCat(PrintableName(input.path.string()), ": not enough memory to read it"));
    }
    const std::string markdown = ToMarkdown(pages);
    *digest = Fnv1a64(input.name, *digest);
    *digest = Fnv1a64(markdown, *digest);
    result.score = ScoreMarkdown(markdown, truth.markdown);
    if (!truth.layout) return result;
    if (is_opened && std::ssize(*truth.layout) != result.num_pages) {
      throw Error(ErrorCode::kDataLoss,
                  StrCat(PrintableName(input.layout.string()), ": found blocks of ",
                         truth.layout->size(), " pages, expected ", result.num_pages));
    }
    ScoreLayout(*truth.layout, pages, &result.score);
    return result;
  }

  static void ScoreLayout(const std::vector<std::vector<LayoutBox>>& truth,
                          const std::vector<Page>& pages, Score* score) {
    score->has_layout = true;
    for (const std::vector<LayoutBox>& boxes : truth) {
      score->layout.num_true += std::ssize(boxes);
    }
    for (const Page& page : pages) {
      const LayoutCounts counts =
          CompareLayout(BoxesOf(page), truth[static_cast<size_t>(page.index)]);
      score->layout.num_found += counts.num_found;
      score->layout.num_matched += counts.num_matched;
    }
  }

  void Print() const {
    std::string out;
    if (options_.json) {
      for (const RunResult& result : results_) {
        out += EvalJsonLine(result, options_.has_timing) + "\n";
      }
    } else if (results_.size() == 1) {
      out = EvalTable(results_.front(), options_.has_timing);
    } else {
      out = EvalComparison(results_, options_.has_timing);
    }
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) {
      throw Error(ErrorCode::kIo, "stdout cannot be written");
    }
  }

  const EvalOptions& options_;
  const std::vector<Savings> savings_;  // one after the other
  const EvalInputs inputs_;
  Canceller canceller_;
  // Before the engine, whose threads must not see the signals.
  InterruptWatcher watcher_;
  std::vector<RunResult> results_;
  int exit_code_ = 0;
};

}  // namespace

int RunEval(const EvalOptions& options) { return EvalRun(options).Run(); }

}  // namespace octavo
