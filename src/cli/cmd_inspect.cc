#include "cli/cmd_inspect.h"

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/memory_info.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "formats/checkpoint.h"
#include "formats/gguf.h"
#include "formats/octavo_file.h"
#include "kernels/select.h"
#include "model/model.h"
#include "model/weights.h"
#include "octavo/error.h"
#include "text/tokenizer_loader.h"
#include "vision/preprocess.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMega = 1e6;
constexpr int64_t kContextShown = 4096;  // tokens of context that the plan is shown for

double Megabytes(size_t bytes) { return static_cast<double>(bytes) / kMega; }

bool IsRegularFile(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// Sum of the tensors of one part of the model in one dtype.
struct Group {
  int tensors = 0;
  int64_t parameters = 0;
  size_t bytes = 0;
};

std::string PartOf(std::string_view name) {
  if (name.rfind("visual.merger.", 0) == 0) return "merger";
  if (name.rfind("visual.", 0) == 0) return "vision tower";
  if (name == "model.embed_tokens.weight") return "embeddings";
  if (name.rfind("lm_head", 0) == 0) return "head";
  return "language model";
}

Json TensorsJson(const std::vector<TensorInfo>& tensors) {
  std::map<std::pair<std::string, std::string>, Group> groups;
  Group all;
  for (const TensorInfo& tensor : tensors) {
    const int64_t parameters = tensor.shape.num_elements();
    const size_t bytes = StoredBytes(tensor);
    const std::string format =
        tensor.packed ? tensor.packed->Describe() : std::string(DTypeName(tensor.dtype));
    for (Group* group : {&groups[{PartOf(tensor.name), format}], &all}) {
      ++group->tensors;
      group->parameters += parameters;
      group->bytes += bytes;
    }
  }
  Json json;
  json["count"] = all.tensors;
  json["parameters"] = all.parameters;
  json["bytes"] = all.bytes;
  json["parts"] = Json::array();
  for (const auto& [key, group] : groups) {
    json["parts"].push_back({{"part", key.first},
                             {"dtype", key.second},
                             {"tensors", group.tensors},
                             {"parameters", group.parameters},
                             {"bytes", group.bytes}});
  }
  return json;
}

Json ConfigJson(const ModelConfig& config) {
  const TextConfig& text = config.text;
  const VisionConfig& vision = config.vision;
  return {{"family", config.model_type},
          {"dtype", config.torch_dtype},
          {"text",
           {{"num_hidden_layers", text.num_hidden_layers},
            {"hidden_size", text.hidden_size},
            {"num_attention_heads", text.num_attention_heads},
            {"num_key_value_heads", text.num_key_value_heads},
            {"head_dim", text.head_dim()},
            {"intermediate_size", text.intermediate_size},
            {"vocab_size", text.vocab_size},
            {"max_position_embeddings", text.max_position_embeddings},
            {"tie_word_embeddings", text.tie_word_embeddings}}},
          {"vision",
           {{"depth", vision.depth},
            {"embed_dim", vision.embed_dim},
            {"num_heads", vision.num_heads},
            {"head_dim", vision.head_dim()},
            {"patch_size", vision.patch_size},
            {"spatial_merge_size", vision.spatial_merge_size}}}};
}

Json PlanJson(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
              const ModelOptions& options, int64_t max_pixels) {
  const int64_t patch_area = int64_t{config.vision.patch_size} * config.vision.patch_size;
  const int64_t max_patches = max_pixels / patch_area;
  const int threads = DefaultThreadCount();
  const MemoryPlan plan = PlanMemory(config, tensors, options, DefaultKvCacheDType(options.compute),
                                     max_patches, threads);
  const size_t kv = plan.kv_bytes_per_token * static_cast<size_t>(kContextShown);
  return {
      {"compute", ComputeName(options.compute)},
      {"attention", VisionAttentionName(options.attention)},
      {"threads", threads},
      {"weight_bytes", plan.weight_bytes},
      {"workspace_bytes", plan.workspace_bytes},
      {"max_patches", max_patches},
      {"vision_activation_bytes", plan.vision_activation_bytes},
      {"kv_bytes_per_token", plan.kv_bytes_per_token},
      {"kv_context_tokens", kContextShown},
      {"total_bytes", plan.weight_bytes + plan.workspace_bytes + plan.vision_activation_bytes + kv},
      {"available_bytes", MemoryAvailableBytes()}};
}

// What inspect found out, and the first damage on the way.
class Inspection {
 public:
  explicit Inspection(const InspectOptions& options) : options_(options) {}

  // A folder or an .octavo file.
  void Model() {
    const auto checkpoint = Checkpoint::Open(options_.path);
    report_["path"] = PrintableName(options_.path, 400);
    report_["container"] = checkpoint->Container();
    report_["tensors"] = TensorsJson(checkpoint->Tensors());
    std::optional<ModelConfig> config;
    // Of the containers only this one has checksums.
    if (IsRegularFile(checkpoint->Source()) && !IsGgufFile(checkpoint->Source())) {
      Step([&] { VerifyOctavoFile(checkpoint->Source()); });
    }
    Step([&] {
      config = LoadModelConfig(*checkpoint);
      report_["config"] = ConfigJson(*config);
    });
    int64_t max_pixels = PreprocessorConfig{}.max_pixels;
    Step([&] { max_pixels = Preprocessor(*checkpoint); });
    Step([&] { TokenizerFacts(*checkpoint); });
    if (config) {
      ModelOptions options;
      options.compute =
          ParseCompute(options_.compute).value_or(DefaultCompute(checkpoint->Tensors()));
      options.attention = ParseVisionAttention(options_.attention)
                              .value_or(DefaultVisionAttention(options.compute == Compute::kF32,
                                                               SelectedKernels()));
      report_["memory"] = PlanJson(*config, checkpoint->Tensors(), options, max_pixels);
      Step([&] {
        ThreadPool pool(DefaultThreadCount());
        CheckWeights(*checkpoint, *config, {.kernels = &SelectedKernels(), .pool = &pool});
      });
    }
    report_["kernels"] = DescribeKernels(SelectedKernels());
  }

  // A GGUF file that is no model by itself, and why.
  void GgufFile(const Error& why) {
    const Gguf gguf = Gguf::Open(options_.path);
    report_["path"] = PrintableName(options_.path, 400);
    report_["container"] = StrCat("gguf version ", gguf.version());
    report_["config"] = {{"family", gguf.architecture()}};
    std::map<std::string, Group> groups;
    for (const GgufTensor& tensor : gguf.tensors()) {
      Group& group = groups[std::string(tensor.type->name)];
      ++group.tensors;
      group.parameters += tensor.shape.num_elements();
      group.bytes += tensor.bytes.size();
    }
    Json parts = Json::array();
    for (const auto& [dtype, group] : groups) {
      parts.push_back({{"part", "all"},
                       {"dtype", dtype},
                       {"tensors", group.tensors},
                       {"parameters", group.parameters},
                       {"bytes", group.bytes}});
    }
    report_["tensors"] = {{"count", gguf.tensors().size()}, {"parts", parts}};
    damage_ = why;
  }

  Json Report() const {
    Json report = report_;
    report["whole"] = !damage_.has_value();
    if (damage_) report["problem"] = damage_->what();
    return report;
  }
  int exit_code() const { return damage_ ? ExitCode(damage_->code()) : 0; }

 private:
  // Runs one look at the model; its Error is kept as the damage unless one was found before.
  void Step(const std::function<void()>& look) {
    try {
      look();
    } catch (const Error& error) {
      if (!damage_) damage_ = error;
    }
  }

  int64_t Preprocessor(const Checkpoint& checkpoint) {
    const PreprocessorConfig config = ParsePreprocessorConfig(
        checkpoint.GetTextFile("preprocessor_config.json"), "preprocessor_config.json");
    report_["preprocessor"] = {{"min_pixels", config.min_pixels},
                               {"max_pixels", config.max_pixels}};
    return config.max_pixels;
  }

  void TokenizerFacts(const Checkpoint& checkpoint) {
    const Tokenizer tokenizer =
        LoadTokenizerJson(checkpoint.GetTextFile("tokenizer.json"), "tokenizer.json");
    report_["tokenizer"] = {{"vocab_size", tokenizer.vocab_size()},
                            {"added_tokens", tokenizer.added_tokens().size()}};
  }

  const InspectOptions& options_;
  Json report_;
  std::optional<Error> damage_;
};

void PrintConfig(const Json& config) {
  std::printf("family         %s  %s\n", config["family"].get<std::string>().c_str(),
              config.value("dtype", "").c_str());
  if (!config.contains("text")) return;
  const Json& text = config["text"];
  const Json& vision = config["vision"];
  std::printf("language       %d layers, width %d, %d/%d heads of %d, vocabulary %d, context %d\n",
              text["num_hidden_layers"].get<int>(), text["hidden_size"].get<int>(),
              text["num_attention_heads"].get<int>(), text["num_key_value_heads"].get<int>(),
              text["head_dim"].get<int>(), text["vocab_size"].get<int>(),
              text["max_position_embeddings"].get<int>());
  std::printf("vision         %d layers, width %d, %d heads of %d, patches of %d px\n",
              vision["depth"].get<int>(), vision["embed_dim"].get<int>(),
              vision["num_heads"].get<int>(), vision["head_dim"].get<int>(),
              vision["patch_size"].get<int>());
}

void PrintMemory(const Json& memory) {
  const auto megabytes = [&](const char* key) { return Megabytes(memory[key].get<size_t>()); };
  const double kv_per_token = memory["kv_bytes_per_token"].get<double>();
  std::printf("memory plan    compute %s, attention %s, %d threads\n",
              memory["compute"].get<std::string>().c_str(),
              memory["attention"].get<std::string>().c_str(), memory["threads"].get<int>());
  std::printf("  weights      %10.1f MB\n", megabytes("weight_bytes"));
  std::printf("  workspace    %10.1f MB\n", megabytes("workspace_bytes"));
  std::printf("  picture      %10.1f MB  of at most %d patches\n",
              megabytes("vision_activation_bytes"), memory["max_patches"].get<int>());
  std::printf("  KV cache     %10.1f MB  for %d tokens (%.0f bytes each)\n",
              kv_per_token * kContextShown / kMega, static_cast<int>(kContextShown), kv_per_token);
  std::printf("  together     %10.1f MB  of %.0f MB available\n", megabytes("total_bytes"),
              megabytes("available_bytes"));
}

void PrintReport(const Json& report) {
  std::printf("model          %s\n", report["path"].get<std::string>().c_str());
  std::printf("container      %s\n", report["container"].get<std::string>().c_str());
  if (report.contains("config")) PrintConfig(report["config"]);
  std::printf("tensors        %d\n", report["tensors"]["count"].get<int>());
  for (const Json& part : report["tensors"]["parts"]) {
    std::printf("  %-14s %-11s %5d tensors %13lld parameters %10.1f MB\n",
                part["part"].get<std::string>().c_str(), part["dtype"].get<std::string>().c_str(),
                part["tensors"].get<int>(),
                static_cast<long long>(part["parameters"].get<int64_t>()),
                Megabytes(part["bytes"].get<size_t>()));
  }
  if (report.contains("tokenizer")) {
    std::printf("tokenizer      %d ids, %d added tokens\n",
                report["tokenizer"]["vocab_size"].get<int>(),
                report["tokenizer"]["added_tokens"].get<int>());
  }
  if (report.contains("preprocessor")) {
    std::printf("pictures       %lld to %lld pixels\n",
                static_cast<long long>(report["preprocessor"]["min_pixels"].get<int64_t>()),
                static_cast<long long>(report["preprocessor"]["max_pixels"].get<int64_t>()));
  }
  if (report.contains("memory")) PrintMemory(report["memory"]);
  if (report.contains("kernels")) {
    std::printf("kernels        %s\n", report["kernels"].get<std::string>().c_str());
  }
  std::printf("state          %s\n", report["whole"].get<bool>()
                                         ? "whole: every tensor present, of its shape, finite"
                                         : report["problem"].get<std::string>().c_str());
}

}  // namespace

int RunInspect(const InspectOptions& options) {
  Inspection inspection(options);
  try {
    inspection.Model();
  } catch (const Error& error) {
    if (!IsGgufFile(options.path) || error.code() == ErrorCode::kDataLoss) throw;
    inspection.GgufFile(error);
  }
  const Json report = inspection.Report();
  if (options.json) {
    std::printf("%s\n", report.dump().c_str());
  } else {
    PrintReport(report);
  }
  return inspection.exit_code();
}

}  // namespace octavo
