// Times whole pages under each --quality on a model that need not be able to read: the layout
// picture and the crops of the true blocks, as `octavo parse` sends them, so many tokens of answer
// for each.
//
//   page_bench MODEL FOLDER [--tokens=64] [--threads=N] [best|balanced|fast ...]
//
// FOLDER: pages as `octavo eval` takes them, with NAME.layout.json beside each. One JSON line for a
// page and a quality, in turn, and one for the means of each quality. Seconds: of the layout
// picture alone, then of all crops together.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "cli/eval_inputs.h"
#include "document/crops.h"
#include "document/ink_components.h"
#include "document/ink_map.h"
#include "document/line_scale.h"
#include "document/quality.h"
#include "document/request_batch.h"
#include "evaluate/layout_score.h"
#include "octavo/engine.h"
#include "octavo/error.h"
#include "vision/image_codec.h"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;

struct Wish {
  std::string model, folder;
  int tokens = 64, threads = 0;
  std::vector<Quality> qualities;
};

struct Seconds {
  double layout = 0, crops = 0;
  int64_t prompt_tokens = 0;
  int64_t requests = 0;
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<ContentBlock> TrueBlocks(const EvalInput& input) {
  const std::string json = ReadFile(input.layout, size_t{1} << 24);
  const std::vector<std::vector<LayoutBox>> pages = ParseLayoutTruth(json, input.layout.string());
  std::vector<ContentBlock> blocks;
  for (const LayoutBox& box : pages.front()) {
    ContentBlock block;
    block.type = box.type;
    block.bbox = box.bbox;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void Wait(RequestBatch* batch, Seconds* seconds) {
  const std::vector<BatchAnswer> answers = batch->WaitAll();
  ThrowIfAllFailed(answers);
  for (const BatchAnswer& answer : answers) seconds->prompt_tokens += answer.usage.prompt_tokens;
  seconds->requests += static_cast<int64_t>(answers.size());
}

// One page as extractor.cc has it, with the true blocks in place of the layout answer's.
Seconds ReadPage(Engine& engine, const Image& page, std::vector<ContentBlock> blocks,
                 const Savings& savings, int tokens) {
  Seconds seconds;
  double start = Now();
  RequestBatch layout(engine, nullptr, savings.prune_blank);
  layout.Submit(Task::kLayout, LayoutPicture(page, savings.layout_side), tokens);
  Wait(&layout, &seconds);
  seconds.layout = Now() - start;
  start = Now();
  const InkMap map = FindInk(page);
  const PageInk ink = SortComponents(map);
  RequestBatch crops(engine, nullptr, savings.prune_blank);
  for (const BlockRequest& request : PlanRequests(&blocks)) {
    const ContentBlock& block = blocks[request.block];
    const bool is_reduced =
        savings.line_height_px > 0 && (request.task == Task::kText || request.task == Task::kTable);
    const double scale =
        is_reduced ? ScaleForLineHeight(map, ink, block.bbox, 0, savings.line_height_px) : 1.0;
    Image crop = CropOfBlock(page, block.bbox, 0, scale);
    if (!crop.empty()) crops.Submit(request.task, std::move(crop), tokens);
  }
  Wait(&crops, &seconds);
  seconds.crops = Now() - start;
  return seconds;
}

void Print(const std::string& page, Quality quality, const Seconds& s, int tokens) {
  std::printf("%s\n", Json({{"page", page},
                            {"quality", QualityName(quality)},
                            {"seconds", s.layout + s.crops},
                            {"layout_seconds", s.layout},
                            {"crops_seconds", s.crops},
                            {"requests", s.requests},
                            {"prompt_tokens", s.prompt_tokens},
                            {"tokens_each", tokens}})
                          .dump()
                          .c_str());
  std::fflush(stdout);
}

void Run(const Wish& wish) {
  const auto engine = Engine::Load({.model_dir = wish.model, .num_threads = wish.threads});
  std::map<Quality, Seconds> sums;
  int64_t pages = 0;
  for (const EvalInput& input : FindEvalInputs(wish.folder).documents) {
    if (input.layout.empty()) continue;
    ++pages;
    const std::string bytes = ReadFile(input.path, kMaxPictureFileBytes);
    const Image page = DecodeImage(std::as_bytes(std::span(bytes)), input.name);
    for (const Quality quality : wish.qualities) {
      const Seconds seconds =
          ReadPage(*engine, page, TrueBlocks(input), SavingsOf(quality), wish.tokens);
      Print(input.name, quality, seconds, wish.tokens);
      Seconds& sum = sums[quality];
      sum.layout += seconds.layout;
      sum.crops += seconds.crops;
      sum.requests += seconds.requests;
      sum.prompt_tokens += seconds.prompt_tokens;
    }
  }
  for (auto& [quality, sum] : sums) {
    sum.layout /= static_cast<double>(pages);
    sum.crops /= static_cast<double>(pages);
    sum.requests /= pages;
    sum.prompt_tokens /= pages;
    Print("mean of " + std::to_string(pages), quality, sum, wish.tokens);
  }
}

// False: not understood.
bool Parse(int argc, char** argv, Wish* wish) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.starts_with("--tokens=")) {
      wish->tokens = std::atoi(word.c_str() + 9);
    } else if (word.starts_with("--threads=")) {
      wish->threads = std::atoi(word.c_str() + 10);
    } else if (const auto quality = ParseQuality(word); quality && !wish->folder.empty()) {
      wish->qualities.push_back(*quality);
    } else if (wish->model.empty()) {
      wish->model = word;
    } else if (wish->folder.empty()) {
      wish->folder = word;
    } else {
      return false;
    }
  }
  if (wish->qualities.empty()) {
    wish->qualities = {Quality::kBest, Quality::kBalanced, Quality::kFast};
  }
  return !wish->folder.empty() && wish->tokens > 0 && wish->threads >= 0;
}

}  // namespace
}  // namespace octavo

int main(int argc, char** argv) {
  octavo::Wish wish;
  if (!octavo::Parse(argc, argv, &wish)) {
    std::fputs(
        "page_bench: expected MODEL FOLDER [--tokens=64] [--threads=N] [best|balanced|fast ...]\n",
        stderr);
    return 2;
  }
  try {
    octavo::Run(wish);
  } catch (const octavo::Error& error) {
    std::fprintf(stderr, "page_bench: %s\n", error.what());
    return octavo::ExitCode(error.code());
  }
  return 0;
}
