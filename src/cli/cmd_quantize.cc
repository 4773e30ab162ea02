#include "cli/cmd_quantize.h"

#include <chrono>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/utf8.h"
#include "cli/model_lookup.h"
#include "cli/model_output.h"
#include "formats/checkpoint.h"
#include "octavo/error.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

MatrixForm FormOf(const std::string& word) {
  if (word == "w4") return MatrixForm::kW4;
  if (word == "w8") return MatrixForm::kW8;
  return MatrixForm::kKeep;
}

// What users of other tools ask for, and what is there today.
void RefuseWhatIsNotThere(const QuantizeOptions& options) {
  if (options.method != "rtn") {
    throw Error(ErrorCode::kUnsupported,
                StrCat("--method ", options.method,
                       " is not there yet; --method rtn (rounding to nearest) is"));
  }
  if (options.format != "octavo") {
    throw Error(ErrorCode::kUnsupported,
                StrCat("--format ", options.format, " is not there yet; --format octavo is"));
  }
}

void RequireFree(const std::string& report, bool force) {
  std::error_code ignored;
  if (report.empty() || force || !fs::exists(report, ignored)) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      StrCat(PrintableName(report, 400), ": exists and is not overwritten without --force"));
}

Json TensorsJson(const WrittenModel& model) {
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
    if (!tensor.note.empty()) entry["note"] = tensor.note;
    tensors.push_back(std::move(entry));
  }
  return tensors;
}

}  // namespace

int RunQuantize(const QuantizeOptions& options) {
  RefuseWhatIsNotThere(options);
  const std::string source = FindModel(options.model);
  RequireFree(options.report, options.force);
  const std::unique_ptr<Checkpoint> checkpoint = Checkpoint::Open(source);
  const fs::path path = ModelOutputFile(options.output, source, options.force);
  const ExportOptions forms = {.language = options.w_bit == 8 ? MatrixForm::kW8 : MatrixForm::kW4,
                               .head = FormOf(options.head),
                               .vision = FormOf(options.vision),
                               .group_size = options.q_group_size};
  const auto start = std::chrono::steady_clock::now();
  const WrittenModel model =
      WriteModelWithProgress(*checkpoint, forms, path, options.num_threads, "quantize");
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  PrintWrittenModel(model, path);
  if (!options.report.empty()) {
    const Json report = {{"program", StrCat("octavo ", OCTAVO_VERSION)},
                         {"source", PrintableName(source, 400)},
                         {"file", PrintableName(path.native(), 400)},
                         {"method", options.method},
                         {"w_bit", options.w_bit},
                         {"q_group_size", options.q_group_size},
                         {"vision", options.vision},
                         {"head", options.head},
                         {"source_bytes", model.source_bytes},
                         {"file_bytes", model.file_bytes},
                         {"seconds", seconds},
                         {"peak_rss_bytes", PeakResidentBytes()},
                         {"tensors", TensorsJson(model)}};
    WriteFileAtomically(options.report, report.dump(1) + "\n");
  }
  return 0;
}

}  // namespace octavo
