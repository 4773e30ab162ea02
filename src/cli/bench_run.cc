#include "cli/bench_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/memory_info.h"
#include "base/random.h"
#include "engine/sampler.h"
#include "model/kv_cache.h"
#include "model/positions.h"

namespace octavo {
namespace {

class Stopwatch {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Work of one Advance between two looks at the clock: about 50 ms on a small machine.
constexpr double kSliceFlops = 5e9;

Patches RandomPatches(const GridThw& grid, int64_t patch_dim, uint64_t seed) {
  Patches patches;
  patches.grid_t = grid.t;
  patches.grid_h = grid.h;
  patches.grid_w = grid.w;
  patches.patch_dim = patch_dim;
  patches.values = AlignedBuffer<float>(static_cast<size_t>(patches.num_patches() * patch_dim));
  Random random(seed);
  // The range of normalised pixels.
  for (float& value : patches.values.span()) value = random.Uniform(-1.8f, 2.2f);
  return patches;
}

// The prompt of a layout request with fixed ids around the image's pads.
std::vector<int32_t> PromptIds(const ModelConfig& config, int64_t image_tokens) {
  std::vector<int32_t> ids;
  ids.reserve(static_cast<size_t>(kPromptTokensBefore + kPromptTokensBehind + image_tokens));
  for (int i = 0; i < kPromptTokensBefore - 1; ++i) ids.push_back(100 + i);
  ids.push_back(config.vision_start_token_id);
  ids.insert(ids.end(), static_cast<size_t>(image_tokens), config.image_token_id);
  ids.push_back(config.vision_end_token_id);
  for (int i = 0; i < kPromptTokensBehind - 1; ++i) ids.push_back(200 + i);
  return ids;
}

struct BenchPrompt {
  std::vector<int32_t> ids;
  MropePositions positions;
  ImageEmbeddings image;

  int64_t num_tokens() const { return static_cast<int64_t>(ids.size()); }
};

// One sequence of the bench: its cache blocks, and what it says next.
struct BenchSequence {
  std::vector<int32_t> block_table;
  int64_t num_cached = 0;
  int32_t next_id = 0;
};

// Sequences of one prompt length with their cache.
class Sequences {
 public:
  Sequences(Model* model, int count, int64_t context, DType kv_dtype)
      : model_(model),
        blocks_each_((context + kKvBlockSize - 1) / kKvBlockSize),
        cache_(model->config().text, kv_dtype, static_cast<int>(blocks_each_) * count),
        logits_buffer_(static_cast<size_t>(count) *
                       static_cast<size_t>(model->config().text.vocab_size)),
        logits_(logits_buffer_.data(), count, model->config().text.vocab_size),
        sequences_(static_cast<size_t>(count)) {
    int32_t next_block = 0;
    for (BenchSequence& sequence : sequences_) {
      for (int64_t i = 0; i < blocks_each_; ++i) sequence.block_table.push_back(next_block++);
    }
  }

  void Prefill(size_t index, const BenchPrompt& prompt);
  // Gives the sequence what prefill gave the first one, which costs nothing to speak of.
  void CopyPrompt(size_t index);
  // One step of the first `batch` sequences, whose prompts have these positions.
  void DecodeStep(size_t batch, int32_t position_delta);
  // Takes back what was decoded behind a prompt of so many tokens.
  void Rewind(int64_t prompt_tokens) {
    for (BenchSequence& sequence : sequences_) sequence.num_cached = prompt_tokens;
    sequences_[0].next_id = first_id_;
  }
  int64_t num_cached(size_t index) const { return sequences_[index].num_cached; }
  const KvCache& cache() const { return cache_; }
  std::span<const int32_t> block_table(size_t index) const { return sequences_[index].block_table; }

 private:
  Model* const model_;
  const int64_t blocks_each_;
  const KvCache cache_;
  AlignedBuffer<float> logits_buffer_;
  FloatMatrix logits_;
  std::vector<BenchSequence> sequences_;
  int32_t first_id_ = 0;  // what the first sequence says after its prompt
};

void Sequences::Prefill(size_t index, const BenchPrompt& prompt) {
  BenchSequence& sequence = sequences_[index];
  const ModelConfig& config = model_->config();
  int64_t image_row = 0;
  for (int64_t begin = 0; begin < prompt.num_tokens();) {
    const int64_t count =
        std::min<int64_t>(prompt.num_tokens() - begin, model_->options().max_batch_tokens);
    const bool is_last = begin + count == prompt.num_tokens();
    ForwardBatch batch;
    for (int64_t i = begin; i < begin + count; ++i) {
      const auto token = static_cast<size_t>(i);
      batch.token_ids.push_back(prompt.ids[token]);
      for (size_t axis = 0; axis < 3; ++axis) {
        batch.positions[axis].push_back(prompt.positions.streams[axis][token]);
      }
      const bool is_image = prompt.ids[token] == config.image_token_id;
      const float* row = prompt.image.values.data() + config.text.hidden_size * image_row;
      batch.image_rows.push_back(is_image ? row : nullptr);
      if (is_image) ++image_row;
    }
    batch.sequences.push_back({.block_table = sequence.block_table,
                               .num_cached = begin,
                               .num_new = count,
                               .wants_logits = is_last});
    model_->Forward(batch, cache_, logits_.Rows(0, is_last ? 1 : 0));
    begin += count;
  }
  sequence.num_cached = prompt.num_tokens();
  sequence.next_id = ArgMax({logits_.data, static_cast<size_t>(logits_.cols)});
  if (index == 0) first_id_ = sequence.next_id;
}

void Sequences::CopyPrompt(size_t index) {
  const BenchSequence& from = sequences_[0];
  BenchSequence& to = sequences_[index];
  for (int l = 0; l < model_->config().text.num_hidden_layers; ++l) {
    const ops::KvLayer layer = cache_.Layer(l);
    const size_t block_bytes = ops::KvHeadOffset(layer, 1, 0);
    const int64_t blocks = (from.num_cached + kKvBlockSize - 1) / kKvBlockSize;
    for (size_t b = 0; b < static_cast<size_t>(blocks); ++b) {
      const size_t source = static_cast<size_t>(from.block_table[b]) * block_bytes;
      const size_t target = static_cast<size_t>(to.block_table[b]) * block_bytes;
      std::memcpy(layer.keys + target, layer.keys + source, block_bytes);
      std::memcpy(layer.values + target, layer.values + source, block_bytes);
    }
  }
  to.num_cached = from.num_cached;
  to.next_id = from.next_id;
}

void Sequences::DecodeStep(size_t batch_size, int32_t position_delta) {
  ForwardBatch batch;
  for (size_t i = 0; i < batch_size; ++i) {
    const BenchSequence& sequence = sequences_[i];
    batch.token_ids.push_back(sequence.next_id);
    for (auto& stream : batch.positions) {
      stream.push_back(static_cast<int32_t>(sequence.num_cached) + position_delta);
    }
    batch.image_rows.push_back(nullptr);
    batch.sequences.push_back({.block_table = sequence.block_table,
                               .num_cached = sequence.num_cached,
                               .num_new = 1,
                               .wants_logits = true});
  }
  model_->Forward(batch, cache_, logits_.Rows(0, static_cast<int64_t>(batch_size)));
  for (size_t i = 0; i < batch_size; ++i) {
    ++sequences_[i].num_cached;
    sequences_[i].next_id =
        ArgMax({logits_.row(static_cast<int64_t>(i)), static_cast<size_t>(logits_.cols)});
  }
}

class Runner {
 public:
  Runner(Model* model, const BenchWork& work, const BenchPlan& plan, const BenchProgress& progress)
      : model_(model), work_(work), plan_(plan), progress_(progress) {}

  BenchTimes Run() {
    times_.decode_steps = plan_.decode_steps;
    times_.crop_tokens = plan_.crop_tokens;
    Page();
    if (plan_.num_crops > 0) {
      times_.crop = Crops(1, "crop");
      times_.crops = Crops(plan_.num_crops, "crops");
    }
    return times_;
  }

 private:
  BenchPrompt Encode(const GridThw& grid, std::string_view phase, uint64_t seed, double* seconds);
  void Page();
  DecodeTimes Decode(Sequences* sequences, int batch, int32_t position_delta);
  CropTimes Crops(int count, std::string_view phase);

  Model* const model_;
  const BenchWork& work_;
  const BenchPlan& plan_;
  const BenchProgress& progress_;
  BenchTimes times_;
};

BenchPrompt Runner::Encode(const GridThw& grid, std::string_view phase, uint64_t seed,
                           double* seconds) {
  const ModelConfig& config = model_->config();
  Patches patches = RandomPatches(grid, config.vision.patch_dim(), seed);
  BenchPrompt prompt;
  const Stopwatch watch;
  {
    const auto encoding = model_->StartVisionEncoding(std::move(patches));
    while (!encoding->Advance(kSliceFlops)) progress_(phase, encoding->progress());
    prompt.image = encoding->TakeEmbeddings();
  }
  *seconds += watch.Seconds();
  prompt.ids = PromptIds(config, prompt.image.num_tokens);
  const GridThw grids[] = {grid};
  prompt.positions = ComputeMropePositions(prompt.ids, grids, config);
  return prompt;
}

void Runner::Page() {
  const BenchPrompt prompt = Encode(plan_.page, "encode", 7, &times_.encode_seconds);
  times_.prefill_tokens = prompt.num_tokens();
  const int most = *std::max_element(plan_.batches.begin(), plan_.batches.end());
  const int64_t answer = std::max<int64_t>(plan_.decode_steps + 1, ReplayCacheTokens(plan_.replay));
  Sequences sequences(model_, most, prompt.num_tokens() + answer, plan_.kv_dtype);
  progress_("prefill", 0);
  {
    const Stopwatch watch;
    sequences.Prefill(0, prompt);
    times_.prefill_seconds = watch.Seconds();
  }
  for (const int batch : plan_.batches) {
    sequences.Rewind(prompt.num_tokens());
    for (int i = 1; i < batch; ++i) sequences.CopyPrompt(static_cast<size_t>(i));
    times_.decodes.push_back(Decode(&sequences, batch, prompt.positions.delta));
    if (times_.page_peak_bytes == 0) times_.page_peak_bytes = PeakResidentBytes();
  }
  if (plan_.replay.answers.empty()) return;
  times_.replay = ReplayAnswers(model_, sequences.cache(),
                                {.ids = prompt.ids,
                                 .block_table = sequences.block_table(0),
                                 .position_delta = prompt.positions.delta},
                                plan_.replay, [&](double share) { progress_("replay", share); });
}

DecodeTimes Runner::Decode(Sequences* sequences, int batch, int32_t position_delta) {
  DecodeTimes decode;
  decode.batch = batch;
  const Stopwatch watch;
  for (int step = 0; step < plan_.decode_steps; ++step) {
    decode.bytes += work_.decode_weight_bytes;
    for (int i = 0; i < batch; ++i) {
      decode.bytes += work_.kv_bytes_per_token *
                      static_cast<double>(sequences->num_cached(static_cast<size_t>(i)));
    }
    sequences->DecodeStep(static_cast<size_t>(batch), position_delta);
    if (step % 8 == 0) progress_("decode", static_cast<double>(step) / plan_.decode_steps);
  }
  decode.seconds = watch.Seconds();
  return decode;
}

CropTimes Runner::Crops(int count, std::string_view phase) {
  CropTimes times;
  times.count = count;
  std::vector<BenchPrompt> prompts;
  prompts.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    prompts.push_back(
        Encode(plan_.crop, phase, 100 + static_cast<uint64_t>(i), &times.encode_seconds));
  }
  times.prompt_tokens = prompts[0].num_tokens();
  Sequences sequences(model_, count, times.prompt_tokens + plan_.crop_tokens, plan_.kv_dtype);
  {
    const Stopwatch watch;
    for (size_t i = 0; i < prompts.size(); ++i) sequences.Prefill(i, prompts[i]);
    times.prefill_seconds = watch.Seconds();
  }
  const Stopwatch watch;
  for (int step = 1; step < plan_.crop_tokens; ++step) {
    sequences.DecodeStep(static_cast<size_t>(count), prompts[0].positions.delta);
    progress_(phase, static_cast<double>(step) / plan_.crop_tokens);
  }
  times.decode_seconds = watch.Seconds();
  return times;
}

}  // namespace

BenchTimes RunBenchPhases(Model* model, const BenchWork& work, const BenchPlan& plan,
                          const BenchProgress& progress) {
  OCTAVO_CHECK(!plan.batches.empty() && plan.decode_steps > 0);
  return Runner(model, work, plan, progress).Run();
}

}  // namespace octavo
