// AWQ or GPTQ from a checkpoint and calibration samples to adjustments, with a journal.
#ifndef OCTAVO_QUANTIZE_AWQ_RUN_H_
#define OCTAVO_QUANTIZE_AWQ_RUN_H_

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "formats/checkpoint.h"
#include "ops/context.h"
#include "quantize/awq.h"
#include "quantize/calibration.h"
#include "quantize/export_plan.h"

namespace octavo {

enum class SearchMethod { kAwq, kGptq };

struct AwqRunOptions {
  SearchMethod method = SearchMethod::kAwq;
  std::filesystem::path journal;  // empty: none is kept
  bool resume = false;            // go on with what the journal has
};

// Before each piece of work: what it is, and how much is done. Throws to give up.
using AwqProgress = std::function<void(const std::string& what, double share)>;

// What everything depends on, as a number: the model's texts and tensors, the method, the forms,
// the samples.
uint64_t AwqKey(const Checkpoint& checkpoint, SearchMethod method, const ExportOptions& options,
                const std::vector<CalibrationSample>& samples);

// Searches all groups that AwqGroupsToSearch names. While samples run, the model is in memory, as
// bf16 where it is large, and 512 rows of each linear layer's inputs; later one group at a time.
// The journal stays for the caller to remove when the model is written. The result depends neither
// on threads nor on where a run was resumed. Throws as RunCalibration, SearchAwqGroup,
// SearchGptqGroup and AwqJournal do.
AwqFinding RunAwq(const Checkpoint& checkpoint, const ExportOptions& options,
                  const std::vector<CalibrationSample>& samples, const AwqRunOptions& run,
                  const ops::Context& context, const AwqProgress& progress);

// Compute and attention that calibration takes for this checkpoint.
ModelOptions CalibrationOptions(const Checkpoint& checkpoint, const ModelConfig& config);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_AWQ_RUN_H_
