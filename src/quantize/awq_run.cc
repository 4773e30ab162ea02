#include "quantize/awq_run.h"

#include <optional>
#include <utility>

#include "base/str_cat.h"
#include "base/xxh.h"
#include "model/weights.h"
#include "quantize/awq_journal.h"
#include "quantize/gptq.h"
#include "quantize/write_model.h"

namespace octavo {
namespace {

constexpr int64_t kKeptRows = 512;
constexpr size_t kSmallModelBytes = size_t{1} << 30;
// Of the time, roughly; the rest is the search.
constexpr double kCalibrationShare = 0.4;

// Grows by one description after another.
class Key {
 public:
  void Add(std::string_view text) {
    text_ += StrCat(text.size(), ":");
    text_ += text;
  }
  void AddBytes(const void* data, size_t size) {
    Add(StrCat(Xxh64({static_cast<const std::byte*>(data), size})));
  }
  uint64_t value() const {
    return Xxh64({reinterpret_cast<const std::byte*>(text_.data()), text_.size()});
  }

 private:
  std::string text_;
};

double WorkOf(const AwqGroup& group, const std::vector<PlannedTensor>& plan) {
  double work = 0;
  for (const PlannedTensor& planned : plan) {
    for (const AwqLinear& linear : group.linears) {
      if (linear.name != planned.tensor.name) continue;
      work += static_cast<double>(planned.tensor.shape.num_elements());
    }
  }
  return work;
}

}  // namespace

ModelOptions CalibrationOptions(const Checkpoint& checkpoint, const ModelConfig& config) {
  ModelOptions options;
  options.compute = DefaultCompute(checkpoint.Tensors());
  if (options.compute == Compute::kF32 &&
      PlanWeightBytes(config, checkpoint.Tensors(), false) > kSmallModelBytes) {
    options.compute = Compute::kBF16;
  }
  return options;
}

uint64_t AwqKey(const Checkpoint& checkpoint, SearchMethod method, const ExportOptions& options,
                const std::vector<CalibrationSample>& samples) {
  Key key;
  key.Add("2");  // of the searches; a change of what they find makes another number
  key.Add(method == SearchMethod::kGptq ? "gptq" : "awq");
  for (const MatrixForm form : {options.language, options.head, options.vision}) {
    key.Add(StrCat(static_cast<int>(form)));
  }
  key.Add(StrCat(options.group_size, options.for_awq ? " awq" : ""));
  for (const std::string& name : ModelTextFiles()) {
    key.Add(checkpoint.TextFile(name).value_or(""));
  }
  for (const TensorInfo& tensor : checkpoint.Tensors()) {
    key.Add(StrCat(tensor.name, tensor.shape.ToString(), DTypeName(tensor.dtype)));
    if (tensor.packed) {
      const PackedTensor packed = *checkpoint.FindPacked(tensor.name);
      key.AddBytes(packed.data, PackedBytes(packed.layout));
    } else {
      const LoadedTensor loaded = checkpoint.Get(tensor.name);
      key.AddBytes(loaded.view.data, loaded.view.size_bytes());
    }
  }
  for (const CalibrationSample& sample : samples) {
    key.Add(StrCat(sample.picture.width, "x", sample.picture.height, " ", sample.max_answer_tokens,
                   " ", sample.prompt));
    key.AddBytes(sample.picture.pixels.data(), sample.picture.pixels.size());
  }
  return key.value();
}

AwqFinding RunAwq(const Checkpoint& checkpoint, const ExportOptions& options,
                  const std::vector<CalibrationSample>& samples, const AwqRunOptions& run,
                  const ops::Context& context, const AwqProgress& progress) {
  const ModelConfig config = LoadModelConfig(checkpoint);
  const std::vector<PlannedTensor> plan = PlanExport(config, checkpoint.Tensors(), options);
  const std::vector<AwqGroup> groups = AwqGroupsToSearch(config, checkpoint.Tensors(), plan);
  std::optional<AwqJournal> journal;
  if (!run.journal.empty()) {
    if (progress) progress("reading the model", 0);
    journal.emplace(run.journal, AwqKey(checkpoint, run.method, options, samples), run.resume);
  }
  std::vector<AwqGroup> to_do;
  double work = 0;
  for (const AwqGroup& group : groups) {
    if (journal && journal->findings().contains(group.stage)) continue;
    to_do.push_back(group);
    work += WorkOf(group, plan);
  }

  AwqFinding all;
  const auto add = [&all](const AwqFinding& finding) {
    Merge(finding.adjustments, &all.adjustments);
    all.errors.insert(finding.errors.begin(), finding.errors.end());
  };
  if (journal) {
    for (const auto& [stage, finding] : journal->findings()) add(finding);
  }
  if (to_do.empty()) return all;
  InputCollector collector(StagesOf(to_do), kKeptRows);
  RunCalibration(checkpoint, CalibrationOptions(checkpoint, config), samples, context, &collector,
                 [&](size_t sample) {
                   if (!progress) return;
                   progress(StrCat("calibration picture ", sample + 1, " of ", samples.size()),
                            kCalibrationShare * static_cast<double>(sample) /
                                static_cast<double>(samples.size()));
                 });
  double done = 0;
  for (const AwqGroup& group : to_do) {
    if (progress) {
      progress(group.linears[0].name, kCalibrationShare + (1 - kCalibrationShare) * done / work);
    }
    AwqFinding finding = run.method == SearchMethod::kGptq
                             ? SearchGptqGroup(checkpoint, plan, group, collector, context)
                             : SearchAwqGroup(checkpoint, plan, group, collector, context);
    add(finding);
    if (journal) journal->Append(group.stage, std::move(finding));
    done += WorkOf(group, plan);
  }
  return all;
}

}  // namespace octavo
