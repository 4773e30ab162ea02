// Sampler: logits to one token id.
#ifndef OCTAVO_ENGINE_SAMPLER_H_
#define OCTAVO_ENGINE_SAMPLER_H_

#include <cstdint>
#include <span>

#include "base/random.h"
#include "octavo/engine.h"

namespace octavo {

// Are all numbers finite?
bool AllFinite(std::span<const float> logits);

// The id of the largest logit, the lowest id among equals.
int32_t ArgMax(std::span<const float> logits);

// Greedy below the temperature of kGreedyTemperature (`random` is not used). Otherwise logits are
// divided by the temperature, then left out: those less probable than min_p times the most
// probable; those strictly below the top_k-th largest; from the least probable upwards while their
// probabilities (of what is left) sum to at most 1 - top_p, at least one staying. One of the rest
// is drawn. Source: vLLM V1 sampler (order), transformers (ties at top_k survive).
// REQUIRES: at least one logit is finite, none is NaN.
int32_t Sample(std::span<const float> logits, const SamplingParams& params, Random* random);

}  // namespace octavo

#endif  // OCTAVO_ENGINE_SAMPLER_H_
