// Model: a loaded Qwen2-VL; encodes images and runs batches of tokens.
#ifndef OCTAVO_MODEL_MODEL_H_
#define OCTAVO_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"
#include "model/config.h"
#include "model/forward_batch.h"
#include "model/kv_cache.h"
#include "model/positions.h"
#include "model/stage_observer.h"
#include "model/vision_attention.h"
#include "model/vision_encoder.h"
#include "ops/context.h"
#include "vision/preprocess.h"

namespace octavo {

enum class Compute { kF32, kBF16, kInt8, kInt16 };

// "f32", "bf16", "int8", "int16", and back; nullopt for other words.
const char* ComputeName(Compute compute) noexcept;
std::optional<Compute> ParseCompute(std::string_view name) noexcept;

// What a checkpoint is run with if nobody says: int8 if a matrix is quantised, bf16 if its table of
// embeddings is stored so, else f32, which loses nothing.
Compute DefaultCompute(const std::vector<TensorInfo>& tensors);
// What keys and values are kept as: f32 with f32, else bf16.
DType DefaultKvCacheDType(Compute compute) noexcept;

struct ModelOptions {
  // Changes results. f32: weights as stored, f32 arithmetic: the parity gate. bf16: weights and
  // activations in bf16 (matrices of other float formats are rounded at load), f32 sums and
  // residuals. int8, int16: quantised matrices with activations rounded to 8 or 16 bits by row and
  // group, the others as stored with f32 arithmetic; for checkpoints that have quantised matrices.
  Compute compute = Compute::kBF16;
  VisionAttention attention = VisionAttention::kF32;
  // Changes speed and memory only.
  int max_batch_tokens = 512;  // tokens of one Forward
  int max_sequences = 64;      // sequences in one Forward
  int max_drafted = 0;         // drafted tokens in one Forward
};

// Immutable after construction, but Forward and encodings use one workspace: one thread at a time.
class Model {
 public:
  // Checks every tensor's presence, dtype and shape, that all values are finite, and packs.
  // `context.pool` and `context.kernels` are used and outlive the model, which brings its own
  // workspace; of the checkpoint only packed matrices are kept.
  // Throws kNotFound, kDataLoss, kUnsupported, kResourceExhausted, kInvalidArgument (int8 or int16
  // without quantised matrices).
  Model(const Checkpoint& checkpoint, const ModelOptions& options, const ops::Context& context);
  ~Model();

  const ModelConfig& config() const;
  const ModelOptions& options() const;
  size_t weight_bytes() const;
  size_t workspace_bytes() const;

  // Of all int8 products so far: how many pieces they had, and how many of these took the way that
  // always fits (ops/matmul.h). 0 on tables that need no such way.
  struct Int8Pieces {
    int64_t all = 0;
    int64_t safe = 0;
  };
  Int8Pieces int8_pieces() const;

  // `patches` is consumed (its memory goes after the patch embedding). Several encodings may be
  // under way. `observer` outlives the encoding. Throws kInvalidArgument (patches of another size
  // than the model's), kResourceExhausted.
  std::unique_ptr<VisionEncoding> StartVisionEncoding(Patches patches,
                                                      const StageObserver* observer = nullptr);

  // Runs one step and writes logits of the sequences that want them, in their order.
  // A sequence with drafted tokens has a row for each of them, too, all in order of tokens.
  // logits: [number of rows, vocab_size]; rows without a token (at the end of the vocabulary) too.
  // REQUIRES: 1 <= tokens <= max_batch_tokens, ids inside the vocabulary, blocks allocated, every
  // sequence with at least one new token that is not drafted, at most max_sequences of them, at
  // most max_drafted tokens drafted.
  void Forward(const ForwardBatch& batch, const KvCache& cache, FloatMatrix logits,
               const StageObserver* observer = nullptr) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Bytes that loading and running will take, before anything is loaded.
struct MemoryPlan {
  size_t weight_bytes = 0;
  size_t workspace_bytes = 0;  // language model steps and per-thread scratch
  // Of one image with max_patches patches, and of one of a quarter of these beside it (Scheduler).
  size_t vision_activation_bytes = 0;
  size_t kv_bytes_per_token = 0;
};
MemoryPlan PlanMemory(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                      const ModelOptions& options, DType kv_dtype, int64_t max_patches,
                      int num_threads);

}  // namespace octavo

#endif  // OCTAVO_MODEL_MODEL_H_
