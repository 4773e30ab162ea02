// Model: a loaded Qwen2-VL; encodes images and runs batches of tokens.
#ifndef OCTAVO_MODEL_MODEL_H_
#define OCTAVO_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "formats/checkpoint.h"
#include "model/config.h"
#include "model/kv_cache.h"
#include "model/positions.h"
#include "model/stage_observer.h"
#include "ops/context.h"
#include "vision/preprocess.h"

namespace octavo {

enum class Compute { kF32, kBF16 };

// Embeddings of one image: [num_tokens, hidden_size] f32.
struct ImageEmbeddings {
  GridThw grid;
  int64_t num_tokens = 0;  // grid.t * grid.h * grid.w / merge^2
  AlignedBuffer<float> values;
};

struct ModelOptions {
  // Changes results: f32 is the parity gate; bf16 the default for bf16 checkpoints.
  Compute compute = Compute::kBF16;
  // Changes speed and memory only.
  int max_batch_tokens = 512;  // tokens of one Forward
  int max_logits_rows = 64;    // sequences that want logits in one Forward
};

// What a step runs: tokens of several sequences laid end to end.
struct ForwardSequence {
  std::span<const int32_t> block_table;
  int64_t num_cached = 0;     // tokens already in the cache
  int64_t num_new = 0;        // tokens in this batch
  bool wants_logits = false;  // logits after its last token
};
struct ForwardBatch {
  std::vector<int32_t> token_ids;                 // of all sequences, in order
  std::array<std::vector<int32_t>, 3> positions;  // same length
  // Row of image embeddings that replaces token i's embedding, or null. Same length.
  std::vector<const float*> image_rows;
  std::vector<ForwardSequence> sequences;
};

// The resumable encoding of one image. Dropping it half way costs nothing.
class VisionEncoding {
 public:
  virtual ~VisionEncoding() = default;
  // Does about `budget_flops` floating-point operations of work (at least one indivisible piece of
  // at most some 50 MFLOP per thread). True when the embeddings are ready.
  virtual bool Advance(double budget_flops) = 0;
  // Share of the work that is done, 0 to 1.
  virtual double progress() const = 0;
  // REQUIRES: Advance returned true. Once.
  virtual ImageEmbeddings TakeEmbeddings() = 0;
};

// Immutable after construction, but Forward and encodings use one workspace: one thread at a time.
class Model {
 public:
  // Checks every tensor's presence, dtype and shape, that all values are finite, and packs.
  // `context.pool` and `context.kernels` are used; the model brings its own workspace.
  // Throws kNotFound, kDataLoss, kUnsupported, kResourceExhausted.
  Model(const Checkpoint& checkpoint, const ModelOptions& options, const ops::Context& context);
  ~Model();

  const ModelConfig& config() const;
  const ModelOptions& options() const;
  size_t weight_bytes() const;

  // `patches` is consumed (its memory goes after the patch embedding). Several encodings may be
  // under way. Throws kResourceExhausted.
  std::unique_ptr<VisionEncoding> StartVisionEncoding(Patches patches,
                                                      const StageObserver* observer = nullptr);

  // Runs one step and writes logits of the sequences that want them, in their order.
  // logits: [number of them, vocab_size]. REQUIRES: tokens <= max_batch_tokens, blocks allocated.
  void Forward(const ForwardBatch& batch, const KvCache& cache, FloatMatrix logits,
               const StageObserver* observer = nullptr) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Bytes that loading and running will take, before anything is loaded.
struct MemoryPlan {
  size_t weight_bytes = 0;
  size_t workspace_bytes = 0;          // language model steps and per-thread scratch
  size_t vision_activation_bytes = 0;  // of one image with max_patches patches
  size_t kv_bytes_per_token = 0;
};
MemoryPlan PlanMemory(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                      const ModelOptions& options, DType kv_dtype, int64_t max_patches,
                      int num_threads);

}  // namespace octavo

#endif  // OCTAVO_MODEL_MODEL_H_
