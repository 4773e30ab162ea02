// LogitsProcessors: bias, bans and penalties of one sequence, applied before sampling.
#ifndef OCTAVO_ENGINE_LOGITS_PROCESSORS_H_
#define OCTAVO_ENGINE_LOGITS_PROCESSORS_H_

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "octavo/engine.h"

namespace octavo {

// In this order: logit bias; ban of repeated n-grams; repetition penalty (ids of prompt and
// output: x / p if x > 0, else x * p); frequency penalty (x - f * count) and presence penalty
// (x - p), both over output ids only; ids without a token. Arithmetic is float32.
// Source: vLLM V1 sampler (processors, then penalties), and for n-grams MinerU's
// vllm_v1_no_repeat_ngram.py: output ids only, nothing until n of them exist.
// One thread at a time.
class LogitsProcessors {
 public:
  // num_tokens: ids from here to the end of the vocabulary have no token and are never chosen.
  LogitsProcessors(const SamplingParams& params, std::span<const int32_t> prompt_ids,
                   int32_t num_tokens);

  // Tells of a generated id.
  void Append(int32_t id);

  // logits: [vocab_size]
  void Apply(std::span<float> logits) const;

 private:
  void BanRepeatedNgrams(std::span<float> logits) const;
  void ApplyPenalties(std::span<float> logits) const;

  std::vector<std::pair<int32_t, float>> logit_bias_;
  size_t ngram_size_;
  float repetition_penalty_;
  float frequency_penalty_;
  float presence_penalty_;
  int32_t num_tokens_;

  std::unordered_set<int32_t> seen_;             // ids of prompt and output, for repetition
  std::unordered_map<int32_t, int32_t> counts_;  // of output ids
  std::vector<int32_t> output_ids_;              // kept only for n-grams
  // Hash of n-1 ids to the places in output_ids_ where such a run begins and has a successor.
  std::unordered_map<uint64_t, std::vector<size_t>> runs_;
};

}  // namespace octavo

#endif  // OCTAVO_ENGINE_LOGITS_PROCESSORS_H_
