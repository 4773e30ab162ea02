// How far a model that is rounded to groups is from itself in f32, stage by stage.
//
//   octavo_deviation [--most SHARE] MODEL PIXELS FORM...
//
// MODEL is a checkpoint with float weights, or synthetic:mineru2.5, synthetic:tiny. It reads one
// square picture of random patches, PIXELS wide, and a short prompt: first with f32 arithmetic,
// then in each FORM: LANGUAGE,VISION,HEAD,ATTENTION, as in w4,w8,w8,int16 (forms: w4, w8, keep). A
// line for each block of the vision tower and each layer of the language model with one column a
// form: root of the sum of squares of the difference over that of the f32 numbers, in per cent.
// Exit status 0, 1 if a number is over --most (a share) or not finite, 2 for wrong usage.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/str_cat.h"
#include "base/thread_pool.h"
#include "cli/synthetic_model.h"
#include "kernels/select.h"
#include "model/model.h"
#include "octavo/error.h"
#include "quantize/rounded_checkpoint.h"

namespace octavo {
namespace {

constexpr int64_t kContext = 4096;

struct Form {
  std::string name;
  ExportOptions forms;
  VisionAttention attention = VisionAttention::kF32;
};

struct Wish {
  std::string model;
  int pixels = 0;
  std::vector<Form> forms;
  double most = -1;
};

// Stages in the order in which they are computed, with all their rows.
struct Stages {
  std::vector<std::string> order;
  std::map<std::string, std::vector<float>, std::less<>> rows;
};

// Whole blocks and layers, not their parts: "vit.block.3", "lm.layer.0".
bool IsCompared(std::string_view stage) {
  if (stage == "vit.merger" || stage == "logits") return true;
  const bool is_block = stage.rfind("vit.block.", 0) == 0 || stage.rfind("lm.layer.", 0) == 0;
  return is_block && std::count(stage.begin(), stage.end(), '.') == 2;
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

MatrixForm FormOf(const std::string& word) {
  if (word == "w4") return MatrixForm::kW4;
  if (word == "w8") return MatrixForm::kW8;
  if (word == "keep") return MatrixForm::kKeep;
  throw Error(ErrorCode::kInvalidArgument, StrCat("form '", word, "': expected w4, w8 or keep"));
}

Form ParseForm(const std::string& text) {
  const std::vector<std::string> parts = Split(text);
  const auto attention =
      parts.size() == 4 ? ParseVisionAttention(parts[3]) : std::optional<VisionAttention>();
  if (!attention) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("'", text, "': expected LANGUAGE,VISION,HEAD,ATTENTION"));
  }
  return {text,
          {.language = FormOf(parts[0]), .head = FormOf(parts[2]), .vision = FormOf(parts[1])},
          *attention};
}

std::shared_ptr<const Checkpoint> Open(const std::string& model) {
  constexpr std::string_view kSynthetic = "synthetic:";
  if (model.rfind(kSynthetic, 0) == 0) {
    return OpenSyntheticModel(model.substr(kSynthetic.size()), 1);
  }
  return Checkpoint::Open(model);
}

Patches RandomPatches(const VisionConfig& vision, int pixels) {
  const int unit = vision.patch_size * vision.spatial_merge_size;
  if (pixels < unit || pixels % unit != 0) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat(pixels, " pixels: expected a multiple of ", unit));
  }
  Patches patches;
  patches.grid_t = 1;
  patches.grid_h = patches.grid_w = pixels / vision.patch_size;
  patches.patch_dim = vision.patch_dim();
  patches.values =
      AlignedBuffer<float>(static_cast<size_t>(patches.num_patches() * patches.patch_dim));
  Random random(7);
  for (float& value : patches.values.span()) value = random.Uniform(-1.8f, 2.2f);
  return patches;
}

void Prefill(Model* model, const ImageEmbeddings& image, const StageObserver& observer) {
  const ModelConfig& config = model->config();
  std::vector<int32_t> ids = {100, 101, 102, config.vision_start_token_id};
  ids.insert(ids.end(), static_cast<size_t>(image.num_tokens), config.image_token_id);
  for (const int32_t id : {config.vision_end_token_id, 200, 201, 202}) ids.push_back(id);
  const GridThw grids[] = {image.grid};
  const MropePositions positions = ComputeMropePositions(ids, grids, config);
  const auto num_tokens = static_cast<int64_t>(ids.size());
  const KvCache cache(config.text, DType::kF32, static_cast<int>(num_tokens / kKvBlockSize + 1));
  std::vector<int32_t> blocks(static_cast<size_t>(cache.capacity_blocks()));
  std::iota(blocks.begin(), blocks.end(), 0);
  ForwardBatch batch;
  batch.token_ids = ids;
  for (size_t axis = 0; axis < 3; ++axis) batch.positions[axis] = positions.streams[axis];
  int64_t row = 0;
  for (const int32_t id : ids) {
    const bool is_image = id == config.image_token_id;
    batch.image_rows.push_back(is_image ? image.values.data() + config.text.hidden_size * row++
                                        : nullptr);
  }
  batch.sequences.push_back(
      {.block_table = blocks, .num_cached = 0, .num_new = num_tokens, .wants_logits = true});
  std::vector<float> logits(static_cast<size_t>(config.text.vocab_size));
  model->Forward(batch, cache, {logits.data(), 1, config.text.vocab_size}, &observer);
}

Stages Run(const Checkpoint& checkpoint, Compute compute, VisionAttention attention, int pixels,
           ThreadPool* pool) {
  ModelOptions options;
  options.compute = compute;
  options.attention = attention;
  options.max_batch_tokens = kContext;
  Model model(checkpoint, options, {.kernels = &SelectedKernels(), .pool = pool});
  Stages stages;
  const StageObserver observer = [&](std::string_view stage, ConstFloatMatrix rows) {
    if (!IsCompared(stage)) return;
    const auto [found, is_new] = stages.rows.try_emplace(std::string(stage));
    if (is_new) stages.order.emplace_back(stage);
    for (int64_t r = 0; r < rows.rows; ++r) {
      found->second.insert(found->second.end(), rows.row(r), rows.row(r) + rows.cols);
    }
  };
  const auto encoding =
      model.StartVisionEncoding(RandomPatches(model.config().vision, pixels), &observer);
  while (!encoding->Advance(1e12)) {
  }
  Prefill(&model, encoding->TakeEmbeddings(), observer);
  return stages;
}

double Deviation(const std::vector<float>& found, const std::vector<float>& expected) {
  if (found.size() != expected.size()) return INFINITY;
  double squares = 0;
  double all = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto x = static_cast<double>(expected[i]);
    squares += std::pow(static_cast<double>(found[i]) - x, 2);
    all += x * x;
  }
  return std::sqrt(squares / all);
}

// The table; true if every number is within `most`.
bool Compare(const Wish& wish) {
  ThreadPool pool(DefaultThreadCount());
  const std::shared_ptr<const Checkpoint> source = Open(wish.model);
  const Stages expected = Run(*source, Compute::kF32, VisionAttention::kF32, wish.pixels, &pool);
  std::map<std::string, std::vector<double>, std::less<>> columns;
  for (const Form& form : wish.forms) {
    const RoundedCheckpoint rounded(source, form.forms, &pool);
    const Compute compute =
        DefaultCompute(rounded.Tensors()) == Compute::kInt8 ? Compute::kInt8 : Compute::kF32;
    const Stages found = Run(rounded, compute, form.attention, wish.pixels, &pool);
    for (const std::string& stage : expected.order) {
      columns[stage].push_back(Deviation(found.rows.at(stage), expected.rows.at(stage)));
    }
  }
  std::printf("%-16s", "per cent");
  for (const Form& form : wish.forms) std::printf("  %s", form.name.c_str());
  std::printf("\n");
  bool is_within = true;
  for (const std::string& stage : expected.order) {
    std::printf("%-16s", stage.c_str());
    for (size_t i = 0; i < wish.forms.size(); ++i) {
      const double deviation = columns[stage][i];
      is_within =
          is_within && std::isfinite(deviation) && (wish.most < 0 || deviation <= wish.most);
      std::printf("  %*.3f", static_cast<int>(wish.forms[i].name.size()), 100 * deviation);
    }
    std::printf("\n");
  }
  return is_within;
}

Wish ParseWish(int argc, char** argv) {
  Wish wish;
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 1 && words[0] == "--most") {
    wish.most = std::atof(words[1].c_str());
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() < 3) {
    throw Error(ErrorCode::kInvalidArgument,
                "usage: octavo_deviation [--most SHARE] MODEL PIXELS FORM...");
  }
  wish.model = words[0];
  wish.pixels = std::atoi(words[1].c_str());
  for (size_t i = 2; i < words.size(); ++i) wish.forms.push_back(ParseForm(words[i]));
  return wish;
}

int Main(int argc, char** argv) {
  try {
    return Compare(ParseWish(argc, argv)) ? 0 : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "octavo_deviation: %s\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace octavo

int main(int argc, char** argv) { return octavo::Main(argc, argv); }
