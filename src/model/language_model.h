// LanguageModel: embeddings and cache to logits; Qwen2 with three position streams.
#ifndef OCTAVO_MODEL_LANGUAGE_MODEL_H_
#define OCTAVO_MODEL_LANGUAGE_MODEL_H_

#include <cstddef>
#include <vector>

#include "model/arithmetic.h"
#include "model/config.h"
#include "model/forward_batch.h"
#include "model/kv_cache.h"
#include "model/stage_observer.h"
#include "model/weights.h"
#include "ops/context.h"

namespace octavo {

// Everything passed to the constructor outlives the object. One thread at a time.
class LanguageModel {
 public:
  LanguageModel(const TextConfig& config, const TextWeights& weights, Arithmetic arithmetic,
                const ops::Context& context, int max_sequences);

  // See Model::Forward. REQUIRES: at most max_sequences sequences.
  void Forward(const ForwardBatch& batch, const KvCache& cache, FloatMatrix logits,
               const StageObserver* observer) noexcept;

  // Bytes of workspace arena that Forward takes.
  static size_t ArenaBytes(const TextConfig& config, int max_batch_tokens, int max_logits_rows);

 private:
  // x: [num_tokens, hidden_size]
  void Embed(const ForwardBatch& batch, FloatMatrix x) const noexcept;
  void Attention(int layer, const KvCache& cache, FloatMatrix x, ConstFloatMatrix cos,
                 ConstFloatMatrix sin, const StageObserver* observer) const noexcept;
  void Mlp(int layer, FloatMatrix x, const StageObserver* observer) const noexcept;

  const TextConfig& config_;
  const TextWeights& weights_;
  const Arithmetic arithmetic_;
  const ops::Context& context_;
  std::vector<ops::KvSequence> kv_sequences_;  // of the batch in work; reserved once
};

}  // namespace octavo

#endif  // OCTAVO_MODEL_LANGUAGE_MODEL_H_
