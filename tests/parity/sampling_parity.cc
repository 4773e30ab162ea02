// Greedy runs with penalties and bans, through the engine, all runs of a prompt at once.
#include <map>

#include "base/str_cat.h"
#include "engine/engine.h"
#include "tests/parity/parity.h"

namespace octavo::parity {
namespace {

// A choice whose margin is below twice the tolerance of logits may fall either way.
constexpr double kNearTie = 1e-3;

// What each run of the reference set; order and counting rules are vLLM's.
std::map<std::string, SamplingParams> MakeRuns() {
  std::map<std::string, SamplingParams> runs;
  runs["plain"] = {};
  runs["layout"].no_repeat_ngram_size = 100;
  for (const auto& [name, frequency] : {std::pair{"text", 0.05}, std::pair{"table", 0.005}}) {
    runs[name].presence_penalty = 1.0;
    runs[name].frequency_penalty = frequency;
    runs[name].no_repeat_ngram_size = 100;
  }
  runs["ngram3"].no_repeat_ngram_size = 3;
  runs["repetition1.3"].repetition_penalty = 1.3;
  return runs;
}

// The messages whose rendering is the case's prompt: system text, then one user turn.
std::vector<Message> ParsePrompt(const std::string& prompt) {
  const std::string user_begin = "<|im_start|>user\n";
  const std::string image = "<|vision_start|><|image_pad|><|vision_end|>";
  size_t begin = prompt.find(user_begin) + user_begin.size();
  const size_t end = prompt.find("<|im_end|>", begin);
  std::vector<Content> contents;
  while (begin < end) {
    const size_t next = std::min(prompt.find(image, begin), end);
    if (next > begin) contents.push_back(Content::Text(prompt.substr(begin, next - begin)));
    begin = next;
    if (begin == end) break;
    contents.push_back(Content::Image());
    begin += image.size();
  }
  return {Message::User(std::move(contents))};
}

Request MakeRequest(const StageCase& stage_case, const SamplingParams& params, int num_tokens,
                    const Subject& subject) {
  Request request;
  request.messages = ParsePrompt(stage_case.prompt_text);
  for (const Image& image : stage_case.images) {
    request.pictures.push_back({image.width, image.height, image.pixels});
  }
  request.sampling = params;
  request.sampling.ignore_eos = true;
  request.sampling.max_new_tokens = num_tokens;
  request.sampling.skip_special_tokens = false;
  request.trust_markup = true;
  if (subject.edit_sampling) {
    subject.edit_sampling(&request.sampling, stage_case.tensors.Get("input_ids").ints);
  }
  return request;
}

void CheckRun(const std::string& what, const nlohmann::json& expected, const Completion& got,
              Report* report) {
  auto tokens = expected.at("tokens").get<std::vector<int32_t>>();
  const auto gaps = expected.at("gaps").get<std::vector<double>>();
  size_t certain = 0;
  while (certain < gaps.size() && gaps[certain] >= kNearTie) ++certain;
  const bool is_whole = certain == tokens.size();
  std::vector<int32_t> got_tokens = got.token_ids;
  tokens.resize(certain);
  got_tokens.resize(std::min(certain, got_tokens.size()));
  report->CheckEqual(what + " tokens", got_tokens, tokens);
  if (!is_whole) return;
  report->Check(got.text == expected.at("text").get<std::string>(), what + " text",
                StrCat(got.text.size(), " bytes differ from the reference's"));
}

void CheckCheckpoint(const std::filesystem::path& path, const std::vector<const StageCase*>& cases,
                     const Subject& subject, Report* report) {
  EngineOptions options;
  options.model_dir = path.string();
  options.compute = "f32";
  options.num_threads = subject.num_threads;
  options.max_running = 6;
  options.max_batch_tokens = 64;
  const auto engine = MakeEngine(*OpenSubject(path, subject), options, subject.kernels);

  struct Started {
    std::string what;
    const nlohmann::json* expected;
    std::unique_ptr<Engine::Ticket> ticket;
  };
  std::vector<Started> started;
  for (const StageCase* stage_case : cases) {
    for (const auto& [run, params] : MakeRuns()) {
      const nlohmann::json& expected = stage_case->runs.at(run + ".fp32");
      const auto num_tokens = static_cast<int>(expected.at("tokens").size());
      started.push_back({stage_case->name + " " + run, &expected,
                         engine->Submit(MakeRequest(*stage_case, params, num_tokens, subject))});
    }
  }
  for (Started& run : started) CheckRun(run.what, *run.expected, run.ticket->Wait(), report);
}

}  // namespace

void CheckSampling(const std::filesystem::path& folder, const Subject& subject, Report* report) {
  if (subject.compute != Compute::kF32 || subject.attention != VisionAttention::kF32) {
    report->Note("not checked: greedy runs, which only f32 can be held to");
    return;
  }
  const std::vector<StageCase> cases = ReadStageCases(folder);
  std::map<std::filesystem::path, std::vector<const StageCase*>> by_checkpoint;
  for (const StageCase& stage_case : cases) {
    by_checkpoint[stage_case.checkpoint].push_back(&stage_case);
  }
  for (const auto& [path, of_checkpoint] : by_checkpoint) {
    CheckCheckpoint(path, of_checkpoint, subject, report);
  }
}

}  // namespace octavo::parity
