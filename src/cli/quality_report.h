// How far a smaller model is from the one that it was made of, on pages that are built in.
#ifndef OCTAVO_CLI_QUALITY_REPORT_H_
#define OCTAVO_CLI_QUALITY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ops/context.h"
#include "quantize/calibration.h"
#include "quantize/linear_inputs.h"

namespace octavo {

struct QualityReport {
  std::vector<std::string> pages;
  std::string source_compute;
  std::string compute;
  // Of the source's own answers on lines of the pages: tokens that the smaller model finds
  // likeliest too, being given those before.
  int64_t num_tokens = 0;
  int64_t num_agreeing = 0;
  // Root of the mean square difference relative to the source, after each layer.
  std::vector<std::pair<std::string, double>> stages;
  // Whole pages read by both, the source's Markdown being the truth.
  double character_distance = 0;
  std::optional<double> teds;  // if the source finds tables
  double source_seconds = 0;
  double seconds = 0;

  double Agreement() const;  // 0 to 1
};

// Counts tokens; both lists are of the same samples.
void CountAgreement(const std::vector<CalibrationAnswer>& answers,
                    const std::vector<std::vector<int32_t>>& likeliest, QualityReport* report);

// One entry for each stage of `stages` that both saw.
std::vector<std::pair<std::string, double>> StageDeviations(const std::vector<std::string>& stages,
                                                            const InputCollector& source,
                                                            const InputCollector& changed);

// Runs both models, one after the other. Uses context.pool and context.kernels. Throws as
// Checkpoint::Open, RunCalibration and Engine::Load do.
QualityReport JudgeModel(const std::string& source, const std::string& changed,
                         const ops::Context& context);

void PrintQuality(const QualityReport& report);
nlohmann::ordered_json QualityJson(const QualityReport& report);

}  // namespace octavo

#endif  // OCTAVO_CLI_QUALITY_REPORT_H_
