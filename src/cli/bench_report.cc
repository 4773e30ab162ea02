#include "cli/bench_report.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/str_cat.h"
#include "quantize/export_plan.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMega = 1e6;
constexpr double kGiga = 1e9;

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

// printf into a string. Lines are short; what is longer is cut.
[[gnu::format(printf, 1, 2)]] std::string Format(const char* format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  return line;
}

double TokensPerSecond(const BenchReport& report, const DecodeTimes& decode) {
  return Share(static_cast<double>(report.times.decode_steps) * decode.batch, decode.seconds);
}
double BandwidthShare(const BenchReport& report, const DecodeTimes& decode) {
  return Share(Share(decode.bytes, decode.seconds) / kGiga, report.limits.read_gb_per_s);
}
// Of an answer's tokens the first comes with prefill.
double TokensPerSecond(const BenchReport& report, const CropTimes& crop) {
  return Share(static_cast<double>(report.times.crop_tokens - 1) * crop.count, crop.decode_seconds);
}

ModePeaks Peaks(const BenchReport& report) {
  return PeaksOf(report.compute, report.attention, report.limits);
}
double EncodeModeShare(const BenchReport& report) {
  return Share(EncodeModeSeconds(report.work, Peaks(report)), report.times.encode_seconds);
}
double RooflineShare(const BenchReport& report) {
  return Share(EncodeFloorSeconds(report.work, report.limits), report.times.encode_seconds);
}
double PrefillModeShare(const BenchReport& report) {
  return Share(PrefillModeSeconds(report.work, Peaks(report)), report.times.prefill_seconds);
}

Json LimitsJson(const MachineLimits& limits) {
  return {{"threads", limits.num_threads},
          {"fp32_fma_gflops", limits.fp32_fma},
          {"bf16_dot_gflops", limits.bf16_dot},
          {"int8_dot_gops", limits.int8_dot},
          {"int8_maddubs16_gops", limits.int8_maddubs16},
          {"int8_maddubs32_gops", limits.int8_maddubs32},
          {"int16_madd_gops", limits.int16_madd},
          {"int16_dot_gops", limits.int16_dot},
          {"read_gb_per_s", limits.read_gb_per_s}};
}

Json DecodeJson(const BenchReport& report, const DecodeTimes& decode) {
  return {{"batch", decode.batch},
          {"steps", report.times.decode_steps},
          {"seconds", decode.seconds},
          {"tokens_per_s", TokensPerSecond(report, decode)},
          {"gb_per_s", Share(decode.bytes, decode.seconds) / kGiga},
          {"bandwidth_share", BandwidthShare(report, decode)}};
}

Json CropJson(const BenchReport& report, const CropTimes& crop) {
  return {{"count", crop.count},
          {"prompt_tokens", crop.prompt_tokens},
          {"answer_tokens", report.times.crop_tokens},
          {"seconds", crop.seconds()},
          {"encode_seconds", crop.encode_seconds},
          {"prefill_seconds", crop.prefill_seconds},
          {"decode_seconds", crop.decode_seconds},
          {"decode_tokens_per_s", TokensPerSecond(report, crop)}};
}

Json ReplayRunJson(const ReplayTimes& replay, const ReplayRun& run) {
  const auto tokens = static_cast<double>(replay.tokens);
  return {{"steps", run.steps},
          {"seconds", run.seconds},
          {"tokens_per_step", Share(tokens, static_cast<double>(run.steps))},
          {"tokens_per_s", Share(tokens, run.seconds)},
          {"drafted_tokens", run.drafted_tokens},
          {"accepted_tokens", run.accepted_tokens}};
}

Json ReplayJson(const ReplayTimes& replay) {
  return {{"answers", replay.answers},
          {"tokens", replay.tokens},
          {"without_drafts", ReplayRunJson(replay, replay.without_drafts)},
          {"with_drafts", ReplayRunJson(replay, replay.with_drafts)},
          {"seconds_saved_percent", 100 * replay.saved_share()},
          {"differing_choices", replay.differing_choices}};
}

std::string LimitLine(const char* title, double one, double all) {
  return all > 0 ? Format("  %-34s %8.1f %8.1f\n", title, one, all) : "";
}

std::string LimitsTable(const MachineLimits& one, const MachineLimits& all) {
  std::string text =
      Format("limits of this machine, measured      1 thread %d threads\n", all.num_threads);
  text += LimitLine("fp32 FMA, GFLOP/s", one.fp32_fma, all.fp32_fma);
  text += LimitLine("bf16 dot, GFLOP/s", one.bf16_dot, all.bf16_dot);
  text += LimitLine("int8 dot, GOP/s", one.int8_dot, all.int8_dot);
  text += LimitLine("int8 maddubs + 16-bit add, GOP/s", one.int8_maddubs16, all.int8_maddubs16);
  text += LimitLine("int8 maddubs + madd + add, GOP/s", one.int8_maddubs32, all.int8_maddubs32);
  text += LimitLine("int16 madd + add, GOP/s", one.int16_madd, all.int16_madd);
  text += LimitLine("int16 dot, GOP/s", one.int16_dot, all.int16_dot);
  text += LimitLine("memory read, GB/s", one.read_gb_per_s, all.read_gb_per_s);
  return text;
}

std::string CropLine(const BenchReport& report, const char* name, const CropTimes& crop) {
  if (crop.count == 0) return "";
  return Format(
      "%-8s %8.2f s    %d of %lld + %d tokens: encode %.2f, prefill %.2f, decode %.2f s (%.1f "
      "tokens/s)\n",
      name, crop.seconds(), crop.count, static_cast<long long>(crop.prompt_tokens),
      report.times.crop_tokens, crop.encode_seconds, crop.prefill_seconds, crop.decode_seconds,
      TokensPerSecond(report, crop));
}

std::string ReplayLines(const ReplayTimes& replay) {
  if (replay.answers == 0) return "";
  const ReplayRun& with = replay.with_drafts;
  std::string text =
      Format("replay   %8.2f s    %d answers, %lld tokens, without drafts in %lld steps\n",
             replay.without_drafts.seconds, replay.answers, static_cast<long long>(replay.tokens),
             static_cast<long long>(replay.without_drafts.steps));
  text += Format(
      "drafts   %8.2f s    %lld steps of %.2f tokens, %.0f %% of %lld guesses right; saved %.1f "
      "%%\n",
      with.seconds, static_cast<long long>(with.steps),
      Share(static_cast<double>(replay.tokens), static_cast<double>(with.steps)),
      100 * Share(static_cast<double>(with.accepted_tokens),
                  static_cast<double>(with.drafted_tokens)),
      static_cast<long long>(with.drafted_tokens), 100 * replay.saved_share());
  if (replay.differing_choices > 0) {
    text += Format("         %lld tokens would differ with drafts: a bug\n",
                   static_cast<long long>(replay.differing_choices));
  }
  return text;
}

// As RFC 4180 has it.
std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string NumberOrBlank(int64_t number) { return number != 0 ? StrCat(number) : ""; }

// One line of the CSV behind the columns that all lines share.
struct CsvPhase {
  const char* name;
  int batch = 1;
  int64_t tokens = 0;  // made or read by the phase, of all sequences
  double seconds = 0;
  const char* limit = "";  // what `share` is a share of
  double share = 0;
  // 0: not of this phase.
  int64_t answers = 0;
  int64_t steps = 0;
};

// Both ways to decode stored answers; what the second takes of the first's time is its share.
void AddReplayPhases(const ReplayTimes& replay, std::vector<CsvPhase>* phases) {
  if (replay.answers == 0) return;
  CsvPhase phase = {.name = "replay",
                    .tokens = replay.tokens,
                    .seconds = replay.without_drafts.seconds,
                    .answers = replay.answers,
                    .steps = replay.without_drafts.steps};
  phases->push_back(phase);
  phase.name = "replay with drafts";
  phase.seconds = replay.with_drafts.seconds;
  phase.limit = "replay";
  phase.share = Share(replay.with_drafts.seconds, replay.without_drafts.seconds);
  phase.steps = replay.with_drafts.steps;
  phases->push_back(phase);
}

// The whole, then its parts, by `names`; nothing if it was not run.
void AddCropPhases(const BenchTimes& times, const CropTimes& crop,
                   const std::array<const char*, 4>& names, std::vector<CsvPhase>* phases) {
  if (crop.count == 0) return;
  const int64_t answers = int64_t{times.crop_tokens} * crop.count;
  const auto add = [&](const char* name, int64_t tokens, double seconds) {
    phases->push_back({.name = name, .batch = crop.count, .tokens = tokens, .seconds = seconds});
  };
  add(names[0], answers, crop.seconds());
  add(names[1], 0, crop.encode_seconds);
  add(names[2], crop.prompt_tokens * crop.count, crop.prefill_seconds);
  add(names[3], answers - crop.count, crop.decode_seconds);
}

std::vector<CsvPhase> CsvPhases(const BenchReport& report) {
  const BenchTimes& times = report.times;
  std::vector<CsvPhase> phases;
  phases.push_back({.name = "load", .seconds = report.load_seconds});
  phases.push_back({.name = "encode",
                    .seconds = times.encode_seconds,
                    .limit = "roofline",
                    .share = RooflineShare(report)});
  phases.push_back({.name = "prefill",
                    .tokens = times.prefill_tokens,
                    .seconds = times.prefill_seconds,
                    .limit = "mode peak",
                    .share = PrefillModeShare(report)});
  for (const DecodeTimes& decode : times.decodes) {
    phases.push_back({.name = "decode",
                      .batch = decode.batch,
                      .tokens = int64_t{times.decode_steps} * decode.batch,
                      .seconds = decode.seconds,
                      .limit = "read bandwidth",
                      .share = BandwidthShare(report, decode),
                      .steps = times.decode_steps});
  }
  AddReplayPhases(times.replay, &phases);
  AddCropPhases(times, times.crop, {"crop", "crop encode", "crop prefill", "crop decode"}, &phases);
  AddCropPhases(times, times.crops, {"crops", "crops encode", "crops prefill", "crops decode"},
                &phases);
  return phases;
}

}  // namespace

WeightForms FormsOf(const std::vector<TensorInfo>& tensors) {
  WeightForms forms;
  int64_t language = 0, vision = 0, head = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.shape.rank() < 2) continue;
    const ModelPart part = PartOfTensor(tensor.name);
    int64_t& most = part == ModelPart::kVision ? vision
                    : part == ModelPart::kHead ? head
                                               : language;
    std::string& form = part == ModelPart::kVision ? forms.vision
                        : part == ModelPart::kHead ? forms.head
                                                   : forms.language;
    if (tensor.shape.num_elements() <= most) continue;
    most = tensor.shape.num_elements();
    form = tensor.packed ? tensor.packed->Describe() : std::string(DTypeName(tensor.dtype));
  }
  return forms;
}

std::string BenchJson(const BenchReport& report) {
  const BenchTimes& times = report.times;
  const double encode_ops = report.work.encode_gemm_ops + report.work.encode_attention_ops;
  Json json;
  json["version"] = OCTAVO_VERSION;
  json["model"] = report.model;
  json["weights"] = {{"language", report.forms.language},
                     {"vision", report.forms.vision},
                     {"head", report.forms.head}};
  json["compute"] = ComputeName(report.compute);
  json["attention"] = VisionAttentionName(report.attention);
  json["isa"] = report.isa;
  json["cpu"] = report.cpu;
  json["limits"] = LimitsJson(report.limits);
  json["limits_one_thread"] = LimitsJson(report.one_thread);
  json["load"] = {{"seconds", report.load_seconds},
                  {"weights_mb", static_cast<double>(report.weight_bytes) / kMega}};
  json["encode"] = {{"seconds", times.encode_seconds},
                    {"roofline_share", RooflineShare(report)},
                    {"gflops", Share(encode_ops, times.encode_seconds) / kGiga},
                    {"mode_peak_share", EncodeModeShare(report)}};
  json["prefill"] = {{"tokens", times.prefill_tokens},
                     {"seconds", times.prefill_seconds},
                     {"mode_peak_share", PrefillModeShare(report)}};
  json["decode"] = DecodeJson(report, times.decodes.front());
  json["decode_batches"] = Json::array();
  for (const DecodeTimes& decode : times.decodes) {
    json["decode_batches"].push_back(DecodeJson(report, decode));
  }
  if (times.replay.answers > 0) json["replay"] = ReplayJson(times.replay);
  if (times.crop.count > 0) json["crop"] = CropJson(report, times.crop);
  if (times.crops.count > 0) json["crops"] = CropJson(report, times.crops);
  if (report.pieces > 0) {
    json["int8_products"] = {{"pieces", report.pieces},
                             {"safe_share", Share(static_cast<double>(report.safe_pieces),
                                                  static_cast<double>(report.pieces))}};
  }
  json["page_peak_rss_mb"] = static_cast<double>(times.page_peak_bytes) / kMega;
  json["peak_rss_mb"] = static_cast<double>(report.peak_bytes) / kMega;
  return json.dump();
}

std::string BenchTable(const BenchReport& report) {
  const BenchTimes& times = report.times;
  const double page_mb = static_cast<double>(times.page_peak_bytes) / kMega;
  std::string text = StrCat("octavo ", OCTAVO_VERSION, "  ", report.model, "  compute ",
                            ComputeName(report.compute), "  attention ",
                            VisionAttentionName(report.attention), "  kernels ", report.isa, "  ",
                            report.cpu, "\nweights  language ", report.forms.language, ", vision ",
                            report.forms.vision, ", head ", report.forms.head, "\n");
  text += LimitsTable(report.one_thread, report.limits);
  text += Format("load     %8.2f s    weights %.0f MB\n", report.load_seconds,
                 static_cast<double>(report.weight_bytes) / kMega);
  text += Format("encode   %8.2f s    %.0f %% of the peaks it runs on; roofline share %.1f %%\n",
                 times.encode_seconds, EncodeModeShare(report) * 100, RooflineShare(report) * 100);
  text += Format("prefill  %8.2f s    %lld tokens, %.0f %% of the peaks it runs on\n",
                 times.prefill_seconds, static_cast<long long>(times.prefill_tokens),
                 PrefillModeShare(report) * 100);
  for (const DecodeTimes& decode : times.decodes) {
    text +=
        Format("decode   %8.1f tokens/s, batch %d, %.1f GB/s = %.0f %% of the read bandwidth\n",
               TokensPerSecond(report, decode), decode.batch,
               Share(decode.bytes, decode.seconds) / kGiga, BandwidthShare(report, decode) * 100);
  }
  text += ReplayLines(times.replay);
  text += CropLine(report, "crop", times.crop);
  text += CropLine(report, "crops", times.crops);
  if (report.pieces > 0) {
    text += Format(
        "int8     %8.2f %% of products took the way that always fits\n",
        100 * Share(static_cast<double>(report.safe_pieces), static_cast<double>(report.pieces)));
  }
  text += Format("memory   %8.0f MB peak for the page, %.0f MB in all\n", page_mb,
                 static_cast<double>(report.peak_bytes) / kMega);
  return text;
}

std::string BenchCsv(const BenchReport& report) {
  std::string text =
      "version,model,language,vision,head,compute,attention,isa,cpu,threads,page_peak_rss_mb,phase,"
      "batch,tokens,seconds,tokens_per_s,limit,share,answers,steps\n";
  const std::string same =
      StrCat(OCTAVO_VERSION, ",", CsvField(report.model), ",", CsvField(report.forms.language), ",",
             CsvField(report.forms.vision), ",", CsvField(report.forms.head), ",",
             ComputeName(report.compute), ",", VisionAttentionName(report.attention), ",",
             CsvField(report.isa), ",", CsvField(report.cpu), ",", report.limits.num_threads, ",",
             Format("%.1f", static_cast<double>(report.times.page_peak_bytes) / kMega));
  for (const CsvPhase& phase : CsvPhases(report)) {
    const double rate = Share(static_cast<double>(phase.tokens), phase.seconds);
    text += StrCat(same, ",", phase.name, ",", phase.batch, ",", phase.tokens, ",",
                   Format("%.4f", phase.seconds), ",", phase.tokens > 0 ? Format("%.2f", rate) : "",
                   ",", phase.limit, ",", *phase.limit != 0 ? Format("%.4f", phase.share) : "", ",",
                   NumberOrBlank(phase.answers), ",", NumberOrBlank(phase.steps), "\n");
  }
  return text;
}

}  // namespace octavo
