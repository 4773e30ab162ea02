#include "cli/cmd_bench.h"

#include <chrono>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/cpu_features.h"
#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/terminal.h"
#include "base/thread_pool.h"
#include "cli/bench_run.h"
#include "cli/synthetic_model.h"
#include "formats/checkpoint_writer.h"
#include "kernels/select.h"
#include "model/model.h"
#include "octavo/error.h"

namespace octavo {
namespace {

constexpr uint64_t kSeed = 1;
constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

struct BenchReport {
  std::string model;
  std::string compute;
  std::string attention;
  std::string isa;
  MachineLimits limits;
  MachineLimits one_thread;
  BenchWork work;
  BenchTimes times;
  double load_seconds = 0;
  double weight_mb = 0;
  double peak_rss_mb = 0;
  int batch = 1;
};

void ValidateOptions(const BenchOptions& options) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorCode::kInvalidArgument, message);
  };
  require(options.decode_steps >= 1 && options.decode_steps <= 4096,
          StrCat("--decode-steps ", options.decode_steps, ": expected 1 to 4096"));
  require(options.batch >= 1 && options.batch <= 64,
          StrCat("--batch ", options.batch, ": expected 1 to 64"));
  require(options.compute.empty() || ParseCompute(options.compute).has_value(),
          StrCat("--compute ", options.compute, ": expected f32, bf16 or int8"));
}

GridThw GridOf(const BenchOptions& options, const VisionConfig& vision) {
  const int unit = vision.patch_size * vision.spatial_merge_size;
  if (options.image_width < unit || options.image_height < unit ||
      options.image_width % unit != 0 || options.image_height % unit != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("--image ", options.image_width, "x", options.image_height,
                       ": expected multiples of ", unit));
  }
  return {1, options.image_height / vision.patch_size, options.image_width / vision.patch_size};
}

// A line on stderr that is rewritten in place on a terminal and left out elsewhere.
void ShowProgress(std::string_view phase, double share) {
  if (!IsTerminal(stderr)) return;
  std::fprintf(stderr, "\r%-8.*s %3.0f %%", static_cast<int>(phase.size()), phase.data(),
               share * 100);
}

BenchReport Measure(const BenchOptions& options) {
  BenchReport report;
  report.batch = options.batch;
  const KernelTable& kernels = SelectedKernels();
  report.isa = DescribeKernels(kernels);
  ThreadPool pool(options.num_threads > 0 ? options.num_threads : DefaultThreadCount());
  {
    ThreadPool single(1);
    report.one_thread = MeasureMachineLimits(kernels, &single);
  }
  report.limits = MeasureMachineLimits(kernels, &pool);
  ResetPeakResidentBytes();  // the peak is to be the model's, not that of the measurement

  const std::unique_ptr<Checkpoint> checkpoint = options.model_dir.empty()
                                                     ? OpenSyntheticModel(options.synthetic, kSeed)
                                                     : Checkpoint::Open(options.model_dir);
  report.model = options.model_dir.empty() ? "synthetic " + options.synthetic : options.model_dir;
  const ModelConfig config = LoadModelConfig(*checkpoint);
  const GridThw grid = GridOf(options, config.vision);
  ModelOptions model_options;
  model_options.compute =
      ParseCompute(options.compute).value_or(DefaultCompute(checkpoint->Tensors()));
  report.compute = ComputeName(model_options.compute);
  model_options.attention =
      ParseVisionAttention(options.attention)
          .value_or(DefaultVisionAttention(model_options.compute == Compute::kF32, kernels));
  report.attention = VisionAttentionName(model_options.attention);
  const auto start = std::chrono::steady_clock::now();
  ShowProgress("load", 0);
  Model model(*checkpoint, model_options, {.kernels = &kernels, .pool = &pool});
  report.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.weight_mb = static_cast<double>(model.weight_bytes()) / kMega;

  const int64_t merge = config.vision.spatial_merge_size;
  const int64_t image_tokens = int64_t{grid.h} * grid.w / (merge * merge);
  report.work = CountWork(config, checkpoint->Tensors(), grid,
                          image_tokens + kPromptTokensBefore + kPromptTokensBehind, DType::kBF16);
  report.times =
      RunBenchPhases(&model, report.work, grid, options.decode_steps, options.batch, ShowProgress);
  report.peak_rss_mb = static_cast<double>(PeakResidentBytes()) / kMega;
  if (IsTerminal(stderr)) std::fprintf(stderr, "\r%*s\r", 20, "");
  return report;
}

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

nlohmann::ordered_json LimitsJson(const MachineLimits& limits) {
  return {{"threads", limits.num_threads},
          {"fp32_fma_gflops", limits.fp32_fma},
          {"bf16_dot_gflops", limits.bf16_dot},
          {"int8_dot_gops", limits.int8_dot},
          {"int8_maddubs16_gops", limits.int8_maddubs16},
          {"int8_maddubs32_gops", limits.int8_maddubs32},
          {"int16_madd_gops", limits.int16_madd},
          {"read_gb_per_s", limits.read_gb_per_s}};
}

// The peak of the arithmetic that this compute mode runs on.
double ModePeak(const BenchReport& report) {
  const bool has_bf16 = report.compute == "bf16" && report.limits.bf16_dot > 0;
  return has_bf16 ? report.limits.bf16_dot : report.limits.fp32_fma;
}

nlohmann::ordered_json ReportJson(const BenchReport& report) {
  const BenchTimes& times = report.times;
  const double encode_ops = report.work.encode_gemm_ops + report.work.encode_attention_ops;
  const double tokens = static_cast<double>(times.decode_steps) * report.batch;
  nlohmann::ordered_json json;
  json["version"] = OCTAVO_VERSION;
  json["model"] = report.model;
  json["compute"] = report.compute;
  json["attention"] = report.attention;
  json["isa"] = report.isa;
  json["cpu"] = CpuName();
  json["limits"] = LimitsJson(report.limits);
  json["limits_one_thread"] = LimitsJson(report.one_thread);
  json["load"] = {{"seconds", report.load_seconds}, {"weights_mb", report.weight_mb}};
  json["encode"] = {{"seconds", times.encode_seconds},
                    {"roofline_share",
                     Share(EncodeFloorSeconds(report.work, report.limits), times.encode_seconds)},
                    {"gflops", Share(encode_ops, times.encode_seconds) / kGiga},
                    {"mode_peak_share",
                     Share(Share(encode_ops, times.encode_seconds) / kGiga, ModePeak(report))}};
  json["prefill"] = {
      {"tokens", times.prefill_tokens},
      {"seconds", times.prefill_seconds},
      {"mode_peak_share",
       Share(Share(report.work.prefill_ops, times.prefill_seconds) / kGiga, ModePeak(report))}};
  json["decode"] = {
      {"batch", report.batch},
      {"steps", times.decode_steps},
      {"tokens_per_s", Share(tokens, times.decode_seconds)},
      {"gb_per_s", Share(times.decode_bytes, times.decode_seconds) / kGiga},
      {"bandwidth_share", Share(Share(times.decode_bytes, times.decode_seconds) / kGiga,
                                report.limits.read_gb_per_s)}};
  json["peak_rss_mb"] = report.peak_rss_mb;
  return json;
}

void PrintLimits(const char* title, double one, double all) {
  if (all > 0) std::printf("  %-34s %8.1f %8.1f\n", title, one, all);
}

void PrintTable(const BenchReport& report, const nlohmann::ordered_json& json) {
  const MachineLimits& one = report.one_thread;
  const MachineLimits& all = report.limits;
  std::printf("octavo %s  %s  compute %s  attention %s  kernels %s  %s\n", OCTAVO_VERSION,
              report.model.c_str(), report.compute.c_str(), report.attention.c_str(),
              report.isa.c_str(), CpuName().c_str());
  std::printf("limits of this machine, measured      1 thread %d threads\n", all.num_threads);
  PrintLimits("fp32 FMA, GFLOP/s", one.fp32_fma, all.fp32_fma);
  PrintLimits("bf16 dot, GFLOP/s", one.bf16_dot, all.bf16_dot);
  PrintLimits("int8 dot, GOP/s", one.int8_dot, all.int8_dot);
  PrintLimits("int8 maddubs + 16-bit add, GOP/s", one.int8_maddubs16, all.int8_maddubs16);
  PrintLimits("int8 maddubs + madd + add, GOP/s", one.int8_maddubs32, all.int8_maddubs32);
  PrintLimits("int16 madd + add, GOP/s", one.int16_madd, all.int16_madd);
  PrintLimits("memory read, GB/s", one.read_gb_per_s, all.read_gb_per_s);
  std::printf("load     %8.2f s    weights %.0f MB\n", report.load_seconds, report.weight_mb);
  std::printf("encode   %8.2f s    %.0f %% of the %s peak; roofline share %.1f %%\n",
              report.times.encode_seconds, json["encode"]["mode_peak_share"].get<double>() * 100,
              report.compute == "bf16" && all.bf16_dot > 0 ? "bf16" : "fp32",
              json["encode"]["roofline_share"].get<double>() * 100);
  std::printf("prefill  %8.2f s    %lld tokens, %.0f %% of that peak\n",
              report.times.prefill_seconds, static_cast<long long>(report.times.prefill_tokens),
              json["prefill"]["mode_peak_share"].get<double>() * 100);
  std::printf("decode   %8.1f tokens/s, batch %d, %.1f GB/s = %.0f %% of the read bandwidth\n",
              json["decode"]["tokens_per_s"].get<double>(), report.batch,
              json["decode"]["gb_per_s"].get<double>(),
              json["decode"]["bandwidth_share"].get<double>() * 100);
  std::printf("memory   %8.0f MB peak\n", report.peak_rss_mb);
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
  const nlohmann::ordered_json json = ReportJson(report);
  if (!options.json) PrintTable(report, json);
  std::printf("%s\n", json.dump().c_str());
  return 0;
}

}  // namespace octavo
