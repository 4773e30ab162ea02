#include "cli/cmd_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "base/cpu_features.h"
#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "cli/bench_report.h"
#include "cli/synthetic_model.h"
#include "engine/drafter.h"
#include "engine/model_files.h"
#include "formats/checkpoint_writer.h"
#include "kernels/select.h"
#include "model/kv_cache.h"
#include "model/memory_budget.h"
#include "model/model.h"
#include "octavo/error.h"
#include "quantize/rounded_checkpoint.h"

namespace octavo {
namespace {

constexpr uint64_t kSeed = 1;
constexpr int kCropPixels = 448;  // a side

void Require(bool holds, const std::string& message) {
  if (!holds) throw Error(ErrorCode::kInvalidArgument, message);
}

void ValidateOptions(const BenchOptions& options) {
  Require(options.decode_steps >= 1 && options.decode_steps <= 4096,
          StrCat("--decode-steps ", options.decode_steps, ": expected 1 to 4096"));
  Require(!options.batches.empty(), "--batch: expected a number");
  for (const int batch : options.batches) {
    Require(batch >= 1 && batch <= 64, StrCat("--batch ", batch, ": expected 1 to 64"));
  }
  Require(options.model.compute.empty() || ParseCompute(options.model.compute).has_value(),
          StrCat("--compute ", options.model.compute, ": expected f32, bf16, int8 or int16"));
  Require(!options.weights.empty() || (options.vision.empty() && options.head.empty()),
          "--vision and --head: expected --weights beside them");
}

MatrixForm FormOf(const std::string& word) {
  if (word == "w4") return MatrixForm::kW4;
  if (word == "w8") return MatrixForm::kW8;
  if (word == "bf16") return MatrixForm::kBF16;
  return word == "f32" ? MatrixForm::kF32 : MatrixForm::kKeep;
}

ExportOptions FormsOf(const BenchOptions& options) {
  const MatrixForm language = FormOf(options.weights);
  const bool is_quantized = language == MatrixForm::kW4 || language == MatrixForm::kW8;
  const MatrixForm other = is_quantized ? MatrixForm::kW8 : language;
  return {.language = language,
          .head = options.head.empty() ? other : FormOf(options.head),
          .vision = options.vision.empty() ? other : FormOf(options.vision)};
}

// What the options name: opened, and seen in the forms that they wish.
std::shared_ptr<const Checkpoint> OpenModel(const BenchOptions& options, ThreadPool* pool) {
  std::shared_ptr<const Checkpoint> checkpoint = options.model.model_dir.empty()
                                                     ? OpenSyntheticModel(options.synthetic, kSeed)
                                                     : Checkpoint::Open(options.model.model_dir);
  if (options.weights.empty()) return checkpoint;
  return std::make_shared<RoundedCheckpoint>(std::move(checkpoint), FormsOf(options), pool);
}

GridThw GridOf(int width, int height, const VisionConfig& vision) {
  const int unit = vision.patch_size * vision.spatial_merge_size;
  Require(width >= unit && height >= unit && width % unit == 0 && height % unit == 0,
          StrCat("--image ", width, "x", height, ": expected multiples of ", unit));
  return {1, height / vision.patch_size, width / vision.patch_size};
}

BenchPlan PlanOf(const BenchOptions& options, const VisionConfig& vision) {
  const int unit = vision.patch_size * vision.spatial_merge_size;
  const int crop = std::max(1, kCropPixels / unit) * unit;
  return {.page = GridOf(options.image_width, options.image_height, vision),
          .decode_steps = options.decode_steps,
          .batches = options.batches,
          .crop = GridOf(crop, crop, vision),
          .num_crops = options.num_crops};
}

int64_t NumPatches(const GridThw& grid) { return int64_t{grid.t} * grid.h * grid.w; }

int64_t PromptTokens(const GridThw& grid, const VisionConfig& vision) {
  return NumPatches(grid) / (int64_t{vision.spatial_merge_size} * vision.spatial_merge_size) +
         kPromptTokensBefore + kPromptTokensBehind;
}

int MostSequences(const BenchPlan& plan) {
  return std::max(plan.num_crops, *std::max_element(plan.batches.begin(), plan.batches.end()));
}

// Of all sequences of the phase that has the most.
int64_t CacheTokens(const BenchPlan& plan, const VisionConfig& vision) {
  const int64_t longer_answers =
      std::max<int64_t>(ReplayCacheTokens(plan.replay) - plan.decode_steps, 0);
  const int64_t pages = *std::max_element(plan.batches.begin(), plan.batches.end()) *
                            (PromptTokens(plan.page, vision) + plan.decode_steps) +
                        longer_answers;
  return std::max(pages, plan.num_crops * (PromptTokens(plan.crop, vision) + plan.crop_tokens));
}

// Throws if an answer is longer than the model's context leaves room for.
ReplayPlan ReplayOf(const BenchOptions& options, const ModelFiles& files, int64_t prompt_tokens) {
  ReplayPlan plan;
  if (options.replay.empty()) return plan;
  plan.tokenizer = &files.tokenizer;
  plan.answers = ReadReplayAnswers(options.replay, files.tokenizer, files.config.eos_token_ids);
  const int64_t context = files.config.text.max_position_embeddings;
  const int64_t need = prompt_tokens + ReplayCacheTokens(plan);
  Require(need <= context, StrCat("--replay ", PrintableName(options.replay),
                                  ": prompt, longest answer and guesses are ", need,
                                  " tokens, expected at most ", context));
  return plan;
}

// A line on stderr that is rewritten in place on a terminal and left out elsewhere.
void ShowProgress(std::string_view phase, double share) {
  if (!IsTerminal(stderr)) return;
  std::fprintf(stderr, "\r%-8.*s %3.0f %%", static_cast<int>(phase.size()), phase.data(),
               share * 100);
}

BenchReport Measure(const BenchOptions& options) {
  BenchReport report;
  const KernelTable& kernels = SelectedKernels();
  report.isa = DescribeKernels(kernels);
  report.cpu = CpuName();
  ThreadPool pool(options.model.num_threads > 0 ? options.model.num_threads : DefaultThreadCount());
  {
    ThreadPool single(1);
    report.one_thread = MeasureMachineLimits(kernels, &single);
  }
  report.limits = MeasureMachineLimits(kernels, &pool);
  ResetPeakResidentBytes();  // the peak is to be the model's, not that of the measurement

  ShowProgress("load", 0);
  const auto start = std::chrono::steady_clock::now();
  const std::shared_ptr<const Checkpoint> checkpoint = OpenModel(options, &pool);
  report.model =
      options.model.model_dir.empty() ? "synthetic " + options.synthetic : options.model.model_dir;
  report.forms = FormsOf(checkpoint->Tensors());
  // With the tokenizer: all that a first request waits for.
  const ModelFiles files = LoadModelFiles(*checkpoint);
  const ModelConfig& config = files.config;
  ModelOptions model_options;
  model_options.compute =
      ParseCompute(options.model.compute).value_or(DefaultCompute(checkpoint->Tensors()));
  model_options.attention =
      ParseVisionAttention(options.model.attention)
          .value_or(DefaultVisionAttention(model_options.compute == Compute::kF32, kernels));
  BenchPlan plan = PlanOf(options, config.vision);
  plan.kv_dtype = ParseKvCacheDType(options.model.kv_cache_dtype)
                      .value_or(DefaultKvCacheDType(model_options.compute));
  plan.replay = ReplayOf(options, files, PromptTokens(plan.page, config.vision));
  model_options.max_sequences = MostSequences(plan);
  if (!plan.replay.answers.empty()) model_options.max_drafted = kMaxDrafted;
  RequireMemory(
      PlanMemory(config, checkpoint->Tensors(), model_options, plan.kv_dtype,
                 std::max(NumPatches(plan.page), NumPatches(plan.crop)), pool.num_threads()),
      CacheTokens(plan, config.vision), ChooseMemoryBudget(options.model.memory_limit));
  report.compute = model_options.compute;
  report.attention = model_options.attention;
  Model model(*checkpoint, model_options, {.kernels = &kernels, .pool = &pool});
  report.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.weight_bytes = static_cast<int64_t>(model.weight_bytes());

  report.work = CountWork(config, checkpoint->Tensors(), plan.page,
                          PromptTokens(plan.page, config.vision), plan.kv_dtype);
  report.times = RunBenchPhases(&model, report.work, plan, ShowProgress);
  report.peak_bytes = PeakResidentBytes();
  report.pieces = model.int8_pieces().all;
  report.safe_pieces = model.int8_pieces().safe;
  if (IsTerminal(stderr)) std::fprintf(stderr, "\r%*s\r", 20, "");
  return report;
}

}  // namespace

int RunBench(const BenchOptions& options) {
  if (!options.write_synthetic.empty()) {
    const auto checkpoint = OpenSyntheticModel(options.synthetic, kSeed);
    WriteSafetensorsFolder(*checkpoint, SyntheticTextFiles(), options.write_synthetic);
    std::fprintf(stderr, "wrote %s\n", options.write_synthetic.c_str());
    return 0;
  }
  ValidateOptions(options);
  const BenchReport report = Measure(options);
  if (options.csv) {
    std::fputs(BenchCsv(report).c_str(), stdout);
    return 0;
  }
  if (!options.json) std::fputs(BenchTable(report).c_str(), stdout);
  std::printf("%s\n", BenchJson(report).c_str());
  return 0;
}

}  // namespace octavo
