#include "cli/cmd_quantize.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/file_lock.h"
#include "base/interrupt.h"
#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "cli/calibration_set.h"
#include "cli/model_lookup.h"
#include "cli/model_output.h"
#include "cli/quality_report.h"
#include "document/model_card.h"
#include "formats/checkpoint.h"
#include "kernels/select.h"
#include "octavo/error.h"
#include "quantize/awq_run.h"
#include "quantize/write_awq.h"
#include "quantize/write_gguf.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Of each calibration page: some lines are as good as all.
constexpr int kLinesOfPage = 12;

MatrixForm FormOf(const std::string& word) {
  if (word == "w4") return MatrixForm::kW4;
  if (word == "w8") return MatrixForm::kW8;
  return MatrixForm::kKeep;
}

// What AutoAWQ's form has no room for.
void RefuseWhatCannotBe(const QuantizeOptions& options) {
  if (options.format != "awq") return;
  if (options.w_bit != 4) {
    throw Error(ErrorCode::kInvalidArgument, "--format awq has 4 bits only; --w_bit 8 was asked");
  }
  for (const std::string* form : {&options.vision, &options.head}) {
    if (form->empty() || *form == "keep") continue;
    throw Error(
        ErrorCode::kInvalidArgument,
        StrCat("--format awq keeps the vision tower and the embeddings, ", *form, " was asked"));
  }
}

// Whether the report can be written is asked before the work, which may take minutes.
void RequirePlaceFor(const std::string& report, bool force) {
  if (report.empty()) return;
  const std::string name = PrintableName(report, 400);
  std::error_code ignored;
  if (fs::is_directory(report, ignored)) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("--report ", name, ": is a folder, expected a file"));
  }
  if (fs::exists(report, ignored) && !force) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(name, ": exists and is not overwritten without --force"));
  }
  const fs::path folder = fs::path(report).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    throw Error(ErrorCode::kNotFound, StrCat("--report ", name, ": its folder does not exist"));
  }
}

Json TensorsJson(const WrittenModel& model, const AwqFinding& finding) {
  Json tensors = Json::array();
  for (const WrittenTensor& tensor : model.tensors) {
    Json entry = {{"name", tensor.name}, {"shape", Json::array()}};
    for (int i = 0; i < tensor.shape.rank(); ++i) entry["shape"].push_back(tensor.shape[i]);
    entry["from"] = tensor.from;
    entry["to"] = tensor.to;
    entry["bytes"] = tensor.bytes;
    if (tensor.rounding) {
      entry["relative_error"] = tensor.rounding->Relative();
      entry["max_abs_error"] = tensor.rounding->max_abs;
    }
    if (const auto errors = finding.errors.find(tensor.name); errors != finding.errors.end()) {
      entry["output_error"] = errors->second.adjusted;
      entry["output_error_rtn"] = errors->second.nearest;
    }
    if (!tensor.note.empty()) entry["note"] = tensor.note;
    tensors.push_back(std::move(entry));
  }
  return tensors;
}

ExportOptions FormsOf(const QuantizeOptions& options) {
  const bool is_awq = options.format == "awq";
  const auto form = [is_awq](const std::string& word) {
    return word.empty() ? (is_awq ? MatrixForm::kKeep : MatrixForm::kW8) : FormOf(word);
  };
  return {.language = options.w_bit == 8 ? MatrixForm::kW8 : MatrixForm::kW4,
          .head = form(options.head),
          .vision = form(options.vision),
          .group_size = options.q_group_size,
          .for_awq = is_awq};
}

bool IsJudged(const QuantizeOptions& options) {
  return options.quality || options.min_agreement >= 0;
}

// The file that gets its name last.
fs::path OutputFile(const QuantizeOptions& options, const std::string& source) {
  const bool force = options.force || options.resume;
  if (options.format == "octavo") return ModelOutputFile(options.output, source, force);
  if (options.format == "awq") {
    return FolderOutputFile(options.output, source, {"config.json", "model.safetensors"}, force);
  }
  return FolderOutputFile(options.output, source, {kGgufVisionFile, kGgufLanguageFile}, force);
}

const char* WordOf(MatrixForm form) {
  return form == MatrixForm::kW4 ? "w4" : form == MatrixForm::kW8 ? "w8" : "keep";
}

// What was searched before rounding, and on what.
struct Search {
  AwqFinding finding;
  CalibrationSet calibration;
  size_t num_groups = 0;
};

// One run: the output is locked, so that two runs do not write it at once.
class QuantizeRun {
 public:
  explicit QuantizeRun(const QuantizeOptions& options)
      : options_(options),
        source_(FindModel(options.model)),
        checkpoint_(Checkpoint::Open(source_)),
        forms_(FormsOf(options)),
        path_(OutputFile(options, source_)),
        unjudged_(IsJudged(options) && options.format == "octavo"
                      ? UnfinishedPath(path_, "unjudged")
                      : path_),
        journal_(path_.native() + ".resume") {}

  int Run() {
    const auto start = std::chrono::steady_clock::now();
    if (!lock_.Acquire(path_.native() + ".lock")) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat(PrintableName(path_.native(), 400), ": another run is writing it"));
    }
    CheckJournal();
    RemoveLeftovers(path_);
    if (options_.format == "gguf") RemoveLeftovers(path_.parent_path() / kGgufVisionFile);
    if (options_.method != "rtn") FindAdjustments();
    const WrittenModel model = Write();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Json report = ReportJson(model, seconds);
    const std::optional<QualityReport> quality = Judge();
    const bool is_good = !quality || quality->Agreement() >= options_.min_agreement;
    if (quality) {
      report["quality"] = QualityJson(*quality);
      report["accepted"] = is_good;
    }
    const fs::path name = GiveName(is_good, &report);
    PrintWrittenModel(model, name);
    PrintSearch();
    if (quality) PrintQuality(*quality);
    if (!is_good) {
      std::fprintf(stderr,
                   "octavo: token agreement %.4f, expected at least %.4f: the result is kept "
                   "aside as %s\n",
                   quality->Agreement(), options_.min_agreement,
                   PrintableName(name.native(), 400).c_str());
    }
    if (!options_.report.empty()) WriteFileAtomically(options_.report, report.dump(1) + "\n");
    // Not before: what nobody has judged, or told, is not complete, and can be resumed.
    std::error_code ignored;
    fs::remove(journal_, ignored);
    return is_good ? 0 : ExitCode(ErrorCode::kDataLoss);
  }

 private:
  // An interrupted run's work is neither lost nor mixed up unasked.
  void CheckJournal() const {
    std::error_code ignored;
    const bool has_journal = fs::exists(journal_, ignored);
    const bool has_unjudged = unjudged_ != path_ && fs::exists(unjudged_, ignored);
    if (options_.resume && !has_journal && !has_unjudged && fs::exists(path_, ignored)) {
      throw Error(ErrorCode::kInvalidArgument, StrCat(PrintableName(path_.native(), 400),
                                                      ": is complete; there is nothing to resume"));
    }
    if (options_.resume || options_.force || !has_journal) return;
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(PrintableName(journal_.native(), 400),
                       ": left by a run that was interrupted; --resume goes on with it, --force "
                       "begins anew"));
  }

  WrittenModel Write() {
    const Adjustments& adjustments = search_.finding.adjustments;
    return WriteWithProgress(
        [&](ThreadPool* pool, const WriteProgress& progress) {
          const fs::path folder = path_.parent_path();
          if (options_.format == "awq") {
            return WriteAwqFolder(*checkpoint_, forms_, adjustments, folder, pool, progress);
          }
          if (options_.format == "gguf") {
            return WriteGgufFolder(*checkpoint_, forms_, adjustments, folder, pool, progress);
          }
          return WriteModel(*checkpoint_, forms_, adjustments, unjudged_, pool, progress);
        },
        path_, options_.num_threads, "quantize");
  }

  // How near the result is to its source; nothing where that is not asked.
  std::optional<QualityReport> Judge() const {
    if (!IsJudged(options_)) return std::nullopt;
    ThreadPool pool(options_.num_threads > 0 ? options_.num_threads : DefaultThreadCount());
    std::fputs("octavo: comparing with the source on built-in pages\n", stderr);
    const std::string result =
        options_.format == "octavo" ? unjudged_.string() : path_.parent_path().string();
    return JudgeModel(source_, result, {&SelectedKernels(), &pool, nullptr});
  }

  // What stood under the name before stays until the new model was found good. Returns the name.
  fs::path GiveName(bool is_good, Json* report) const {
    fs::path name = is_good ? path_ : fs::path(path_.native() + ".rejected");
    if (unjudged_ != name) RenameFile(unjudged_, name);
    (*report)["file"] = PrintableName(name.native(), 400);
    return name;
  }

  void FindAdjustments() {
    const ModelConfig config = LoadModelConfig(*checkpoint_);
    const auto plan = PlanExport(config, checkpoint_->Tensors(), forms_);
    search_.num_groups = AwqGroupsToSearch(config, checkpoint_->Tensors(), plan).size();
    if (search_.num_groups == 0) return;
    const ModelCard card = ReadModelCard(source_);
    search_.calibration = options_.calibration.empty()
                              ? SamplesOfBuiltinPages(CalibrationPages(), card, kLinesOfPage)
                              : SamplesOfFiles(options_.calibration, card, kLinesOfPage);
    std::atomic<bool> is_interrupted{false};
    const InterruptWatcher watcher([&] { is_interrupted = true; });
    ThreadPool pool(options_.num_threads > 0 ? options_.num_threads : DefaultThreadCount());
    WorkTeller teller("search");
    search_.finding =
        RunAwq(*checkpoint_, forms_, search_.calibration.samples,
               {.method = options_.method == "gptq" ? SearchMethod::kGptq : SearchMethod::kAwq,
                .journal = journal_,
                .resume = options_.resume},
               {&SelectedKernels(), &pool, nullptr}, [&](const std::string& what, double share) {
                 if (is_interrupted) {
                   throw Error(ErrorCode::kCancelled,
                               StrCat(PrintableName(path_.native(), 400),
                                      ": interrupted; --resume goes on with what was found"));
                 }
                 teller.Tell(what, share);
               });
  }

  void PrintSearch() const {
    if (options_.method == "rtn") return;
    if (search_.num_groups == 0) {
      std::printf("  no float matrix gets 4 bits: nothing to search, rounded to nearest\n");
      return;
    }
    double nearest = 0;
    double adjusted = 0;
    for (const auto& [name, errors] : search_.finding.errors) {
      nearest += errors.nearest * errors.nearest;
      adjusted += errors.adjusted * errors.adjusted;
    }
    const auto count = static_cast<double>(search_.finding.errors.size());
    std::printf("  calibrated on %zu pictures of", search_.calibration.samples.size());
    for (const std::string& page : search_.calibration.pages) std::printf(" %s", page.c_str());
    std::printf(options_.calibration.empty() ? " (built in)\n" : "\n");
    std::printf("  error at the outputs of 4-bit layers %.2f %%, rounded to nearest %.2f %%\n",
                100 * std::sqrt(adjusted / count), 100 * std::sqrt(nearest / count));
  }

  Json ReportJson(const WrittenModel& model, double seconds) const {
    Json report = {{"program", StrCat("octavo ", OCTAVO_VERSION)},
                   {"source", PrintableName(source_, 400)},
                   {"file", PrintableName(path_.native(), 400)},
                   {"method", options_.method},
                   {"w_bit", options_.w_bit},
                   {"q_group_size", options_.q_group_size},
                   {"format", options_.format},
                   {"vision", WordOf(forms_.vision)},
                   {"head", WordOf(forms_.head)},
                   {"source_bytes", model.source_bytes},
                   {"file_bytes", model.file_bytes},
                   {"seconds", seconds},
                   {"peak_rss_bytes", PeakResidentBytes()}};
    if (search_.num_groups > 0) {
      report["calibration"] = {{"pages", search_.calibration.pages},
                               {"pictures", search_.calibration.samples.size()},
                               {"built_in", options_.calibration.empty()}};
    }
    report["tensors"] = TensorsJson(model, search_.finding);
    return report;
  }

  const QuantizeOptions& options_;
  const std::string source_;
  const std::unique_ptr<Checkpoint> checkpoint_;
  const ExportOptions forms_;
  const fs::path path_;
  const fs::path unjudged_;  // a folder of files is what it is called from the first
  const fs::path journal_;
  FileLock lock_;
  Search search_;
};

}  // namespace

int RunQuantize(const QuantizeOptions& options) {
  RefuseWhatCannotBe(options);
  RequirePlaceFor(options.report, options.force);
  return QuantizeRun(options).Run();
}

}  // namespace octavo
