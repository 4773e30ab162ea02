// Checks of SamplingParams (include/octavo/engine.h) before a request is accepted.
#ifndef OCTAVO_ENGINE_SAMPLING_PARAMS_H_
#define OCTAVO_ENGINE_SAMPLING_PARAMS_H_

#include "octavo/engine.h"

namespace octavo {

inline constexpr double kGreedyTemperature = 1e-5;  // below this the largest logit is taken
inline constexpr size_t kMaxStopStrings = 64;
inline constexpr size_t kMaxStopBytes = 1024;

// Throws kInvalidArgument naming the first field that is out of its range. Ids are checked against
// vocab_size.
void CheckSamplingParams(const SamplingParams& params, int vocab_size);

inline bool IsGreedy(const SamplingParams& params) {
  return params.temperature < kGreedyTemperature;
}

}  // namespace octavo

#endif  // OCTAVO_ENGINE_SAMPLING_PARAMS_H_
