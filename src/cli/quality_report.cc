#include "cli/quality_report.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <set>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "cli/calibration_set.h"
#include "evaluate/score.h"
#include "octavo/document.h"
#include "octavo/engine.h"
#include "octavo/error.h"
#include "quantize/awq_run.h"

namespace octavo {
namespace {

constexpr int kLinesOfPage = 12;
constexpr int64_t kRowsOfStage = 64;

std::vector<std::string> StagesToCompare(const ModelConfig& config) {
  std::vector<std::string> stages;
  stages.reserve(static_cast<size_t>(config.vision.depth + config.text.num_hidden_layers) + 3);
  for (int b = 0; b < config.vision.depth; ++b) stages.push_back(StrCat("vit.block.", b));
  stages.emplace_back("vit.merger");
  for (int l = 0; l < config.text.num_hidden_layers; ++l) {
    stages.push_back(StrCat("lm.layer.", l));
  }
  stages.emplace_back("lm.norm");
  return stages;
}

// Markdown of the built-in pages, each by itself, and the seconds that reading took.
std::vector<std::string> ReadPages(const std::string& model, int num_threads, double* seconds) {
  const auto engine = Engine::Load({.model_dir = model, .num_threads = num_threads});
  std::vector<std::string> markdown;
  const auto start = std::chrono::steady_clock::now();
  for (const BuiltinPage& page : HeldOutPages()) {
    const ParseOptions options;
    const Document document = Document::FromBytes(
        std::string(reinterpret_cast<const char*>(page.png.data()), page.png.size()),
        std::string(page.name), options);
    std::vector<Page> pages;
    ParsePages(*engine, document, document.page_indices(), options, [&](Page read) {
      if (read.error_code) throw Error(*read.error_code, StrCat(page.name, ": ", read.error));
      pages.push_back(std::move(read));
    });
    // Names of pictures come from their pixels, which are the same.
    markdown.push_back(ToMarkdown(pages));
  }
  *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return markdown;
}

void ComparePages(const std::string& source, const std::string& changed, int num_threads,
                  QualityReport* report) {
  const std::vector<std::string> truth = ReadPages(source, num_threads, &report->source_seconds);
  const std::vector<std::string> found = ReadPages(changed, num_threads, &report->seconds);
  Score score;
  for (size_t i = 0; i < truth.size(); ++i) score.Add(ScoreMarkdown(found[i], truth[i]));
  report->character_distance = score.CharacterError();
  report->teds = score.MeanTeds();
}

}  // namespace

double QualityReport::Agreement() const {
  return num_tokens == 0 ? 0 : static_cast<double>(num_agreeing) / static_cast<double>(num_tokens);
}

void CountAgreement(const std::vector<CalibrationAnswer>& answers,
                    const std::vector<std::vector<int32_t>>& likeliest, QualityReport* report) {
  OCTAVO_CHECK(answers.size() == likeliest.size());
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::vector<int32_t>& expected = answers[i].answer_ids;
    OCTAVO_CHECK(expected.size() == likeliest[i].size());
    for (size_t t = 0; t < expected.size(); ++t) {
      ++report->num_tokens;
      report->num_agreeing += expected[t] == likeliest[i][t] ? 1 : 0;
    }
  }
}

std::vector<std::pair<std::string, double>> StageDeviations(const std::vector<std::string>& stages,
                                                            const InputCollector& source,
                                                            const InputCollector& changed) {
  std::vector<std::pair<std::string, double>> deviations;
  for (const std::string& stage : stages) {
    const LinearInputs* const a = source.Find(stage);
    const LinearInputs* const b = changed.Find(stage);
    if (a == nullptr || b == nullptr) continue;
    OCTAVO_CHECK(a->rows.size() == b->rows.size(), stage);
    double squares = 0;
    double all = 0;
    for (size_t i = 0; i < a->rows.size(); ++i) {
      const double expected = static_cast<double>(a->rows[i]);
      const double difference = static_cast<double>(b->rows[i]) - expected;
      squares += difference * difference;
      all += expected * expected;
    }
    deviations.emplace_back(stage, all > 0 ? std::sqrt(squares / all) : 0);
  }
  return deviations;
}

QualityReport JudgeModel(const std::string& source, const std::string& changed,
                         const ops::Context& context) {
  const ModelCard card = ReadModelCard(source);
  const CalibrationSet set = SamplesOfBuiltinPages(HeldOutPages(), card, kLinesOfPage);
  QualityReport report;
  report.pages = set.pages;
  std::vector<CalibrationAnswer> answers;
  std::vector<std::string> stages;
  std::optional<InputCollector> before;
  {
    const auto checkpoint = Checkpoint::Open(source);
    const ModelConfig config = LoadModelConfig(*checkpoint);
    stages = StagesToCompare(config);
    before.emplace(std::set<std::string, std::less<>>(stages.begin(), stages.end()), kRowsOfStage);
    const ModelOptions options = CalibrationOptions(*checkpoint, config);
    report.source_compute = ComputeName(options.compute);
    answers = RunCalibration(*checkpoint, options, set.samples, context, &*before, {});
  }
  {
    const auto checkpoint = Checkpoint::Open(changed);
    InputCollector after(std::set<std::string, std::less<>>(stages.begin(), stages.end()),
                         kRowsOfStage);
    const ModelOptions options = {.compute = DefaultCompute(checkpoint->Tensors())};
    report.compute = ComputeName(options.compute);
    CountAgreement(answers,
                   LikeliestTokens(*checkpoint, options, set.samples, answers, context, &after),
                   &report);
    report.stages = StageDeviations(stages, *before, after);
  }
  ComparePages(source, changed, context.pool->num_threads(), &report);
  return report;
}

void PrintQuality(const QualityReport& report) {
  std::printf("  against the source, %s to %s, on", report.compute.c_str(),
              report.source_compute.c_str());
  for (const std::string& page : report.pages) std::printf(" %s", page.c_str());
  std::printf(":\n    token agreement %.2f %% of %lld tokens\n", 100 * report.Agreement(),
              static_cast<long long>(report.num_tokens));
  std::printf("    character distance %.2f %%", 100 * report.character_distance);
  if (report.teds) std::printf(", tables %.3f", *report.teds);
  std::printf(", read in %.1f s, by the source in %.1f s\n", report.seconds, report.source_seconds);
  for (const auto& [stage, deviation] : report.stages) {
    if (stage != "vit.merger" && stage != "lm.norm") continue;
    std::printf("    deviation after %s %.2f %%\n", stage.c_str(), 100 * deviation);
  }
}

nlohmann::ordered_json QualityJson(const QualityReport& report) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  for (const auto& [stage, deviation] : report.stages) {
    stages.push_back({{"stage", stage}, {"deviation", deviation}});
  }
  nlohmann::ordered_json json = {{"pages", report.pages},
                                 {"source_compute", report.source_compute},
                                 {"compute", report.compute},
                                 {"tokens", report.num_tokens},
                                 {"token_agreement", report.Agreement()},
                                 {"character_distance", report.character_distance},
                                 {"teds", nullptr},
                                 {"source_seconds", report.source_seconds},
                                 {"seconds", report.seconds},
                                 {"stages", stages}};
  if (report.teds) json["teds"] = *report.teds;
  return json;
}

}  // namespace octavo
