#include "cli/bench_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "model/kv_cache.h"
#include "model/positions.h"

namespace octavo {
namespace {

double Seconds(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Work of one Advance between two looks at the clock: about 50 ms on a small machine.
constexpr double kSliceFlops = 5e9;

Patches RandomPatches(const GridThw& grid, int64_t patch_dim) {
  Patches patches;
  patches.grid_t = grid.t;
  patches.grid_h = grid.h;
  patches.grid_w = grid.w;
  patches.patch_dim = patch_dim;
  patches.values = AlignedBuffer<float>(static_cast<size_t>(patches.num_patches() * patch_dim));
  Random random(7);
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
};

// One sequence of the bench: its cache blocks, and what it says next.
struct BenchSequence {
  std::vector<int32_t> block_table;
  int64_t num_cached = 0;
  int32_t next_id = 0;
};

int32_t ArgMax(std::span<const float> logits) {
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

void Prefill(Model* model, const KvCache& cache, const BenchPrompt& prompt, BenchSequence* sequence,
             FloatMatrix logits) {
  const int64_t hidden_size = model->config().text.hidden_size;
  const std::vector<int32_t>& ids = prompt.ids;
  const int64_t num_tokens = static_cast<int64_t>(ids.size());
  int64_t image_row = 0;
  for (int64_t begin = 0; begin < num_tokens;) {
    const int64_t count = std::min<int64_t>(num_tokens - begin, model->options().max_batch_tokens);
    ForwardBatch batch;
    for (int64_t i = begin; i < begin + count; ++i) {
      const size_t index = static_cast<size_t>(i);
      batch.token_ids.push_back(ids[index]);
      for (size_t axis = 0; axis < 3; ++axis) {
        batch.positions[axis].push_back(prompt.positions.streams[axis][index]);
      }
      const bool is_image = ids[index] == model->config().image_token_id;
      batch.image_rows.push_back(is_image ? prompt.image.values.data() + hidden_size * image_row++
                                          : nullptr);
    }
    batch.sequences.push_back({.block_table = sequence->block_table,
                               .num_cached = begin,
                               .num_new = count,
                               .wants_logits = begin + count == num_tokens});
    model->Forward(batch, cache, logits.Rows(0, begin + count == num_tokens ? 1 : 0));
    begin += count;
  }
  sequence->num_cached = num_tokens;
  sequence->next_id = ArgMax({logits.data, static_cast<size_t>(logits.cols)});
}

void DecodeStep(Model* model, const KvCache& cache, int32_t delta,
                std::vector<BenchSequence>* sequences, FloatMatrix logits) {
  ForwardBatch batch;
  for (const BenchSequence& sequence : *sequences) {
    batch.token_ids.push_back(sequence.next_id);
    for (auto& stream : batch.positions) {
      stream.push_back(static_cast<int32_t>(sequence.num_cached) + delta);
    }
    batch.image_rows.push_back(nullptr);
    batch.sequences.push_back({.block_table = sequence.block_table,
                               .num_cached = sequence.num_cached,
                               .num_new = 1,
                               .wants_logits = true});
  }
  model->Forward(batch, cache, logits);
  for (size_t i = 0; i < sequences->size(); ++i) {
    BenchSequence& sequence = (*sequences)[i];
    ++sequence.num_cached;
    sequence.next_id =
        ArgMax({logits.row(static_cast<int64_t>(i)), static_cast<size_t>(logits.cols)});
  }
}

}  // namespace

BenchWork CountWork(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                    const GridThw& grid, int64_t prefill_tokens, DType kv_dtype) {
  BenchWork work;
  const double patches = static_cast<double>(grid.t) * grid.h * grid.w;
  const double merge_area = std::pow(config.vision.spatial_merge_size, 2);
  const double tokens = static_cast<double>(prefill_tokens);
  for (const TensorInfo& tensor : tensors) {
    const double elements = static_cast<double>(tensor.shape.num_elements());
    const bool is_vision = tensor.name.rfind("visual.", 0) == 0;
    const bool is_matrix = tensor.shape.rank() >= 2;
    if (is_vision && is_matrix) {
      const bool is_merger = tensor.name.rfind("visual.merger.", 0) == 0;
      work.encode_gemm_ops += 2 * elements * (is_merger ? patches / merge_area : patches);
    }
    if (is_vision) continue;
    // A decode step gathers a few rows of an untied embedding table instead of reading it.
    const bool is_gathered =
        tensor.name == "model.embed_tokens.weight" && !config.text.tie_word_embeddings;
    if (!is_gathered) work.decode_weight_bytes += static_cast<double>(StoredBytes(tensor));
    const bool is_table =
        tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight";
    if (is_matrix && !is_table) work.prefill_ops += 2 * elements * tokens;
  }
  const double segment = static_cast<double>(grid.h) * grid.w;
  work.encode_attention_ops =
      4 * segment * segment * grid.t * config.vision.embed_dim * config.vision.depth;
  work.prefill_ops += 2 * static_cast<double>(config.text.vocab_size) * config.text.hidden_size;
  work.prefill_ops += 2 * tokens * tokens * config.text.hidden_size * config.text.num_hidden_layers;
  work.kv_bytes_per_token = static_cast<double>(KvCache::BytesPerToken(config.text, kv_dtype));
  return work;
}

double EncodeFloorSeconds(const BenchWork& work, const MachineLimits& limits) {
  const double gemm = limits.int8_dot > 0 ? limits.int8_dot : limits.int8_maddubs16;
  double attention = limits.bf16_dot > 0 ? limits.bf16_dot : limits.int16_madd;
  if (attention <= 0) attention = limits.fp32_fma;
  if (gemm <= 0 || attention <= 0) return 0;
  return work.encode_gemm_ops / (gemm * 1e9) + work.encode_attention_ops / (attention * 1e9);
}

BenchTimes RunBenchPhases(
    Model* model, const BenchWork& work, const GridThw& grid, int decode_steps, int batch,
    const std::function<void(std::string_view phase, double share)>& progress) {
  using Clock = std::chrono::steady_clock;
  const ModelConfig& config = model->config();
  BenchTimes times;
  times.decode_steps = decode_steps;

  Patches patches = RandomPatches(grid, config.vision.patch_dim());
  auto start = Clock::now();
  auto encoding = model->StartVisionEncoding(std::move(patches));
  while (!encoding->Advance(kSliceFlops)) progress("encode", encoding->progress());
  BenchPrompt prompt;
  prompt.image = encoding->TakeEmbeddings();
  times.encode_seconds = Seconds(start);
  encoding.reset();

  prompt.ids = PromptIds(config, prompt.image.num_tokens);
  const GridThw grids[] = {grid};
  prompt.positions = ComputeMropePositions(prompt.ids, grids, config);
  times.prefill_tokens = static_cast<int64_t>(prompt.ids.size());
  const int64_t context = times.prefill_tokens + decode_steps + 1;
  const int blocks = static_cast<int>((context + kKvBlockSize - 1) / kKvBlockSize);
  const KvCache cache(config.text, DType::kBF16, blocks * batch);
  std::vector<BenchSequence> sequences(static_cast<size_t>(batch));
  int32_t next_block = 0;
  for (BenchSequence& sequence : sequences) {
    for (int i = 0; i < blocks; ++i) sequence.block_table.push_back(next_block++);
  }
  AlignedBuffer<float> logits_buffer(static_cast<size_t>(batch) *
                                     static_cast<size_t>(config.text.vocab_size));
  const FloatMatrix logits(logits_buffer.data(), batch, config.text.vocab_size);

  progress("prefill", 0);
  start = Clock::now();
  Prefill(model, cache, prompt, &sequences[0], logits.Rows(0, 1));
  times.prefill_seconds = Seconds(start);
  for (size_t i = 1; i < sequences.size(); ++i) {
    Prefill(model, cache, prompt, &sequences[i], logits.Rows(0, 1));
    progress("prefill", static_cast<double>(i + 1) / static_cast<double>(batch));
  }

  start = Clock::now();
  for (int step = 0; step < decode_steps; ++step) {
    for (const BenchSequence& sequence : sequences) {
      times.decode_bytes += work.kv_bytes_per_token * static_cast<double>(sequence.num_cached);
    }
    times.decode_bytes += work.decode_weight_bytes;
    DecodeStep(model, cache, prompt.positions.delta, &sequences, logits);
    if (step % 8 == 0) progress("decode", static_cast<double>(step) / decode_steps);
  }
  times.decode_seconds = Seconds(start);
  return times;
}

}  // namespace octavo
