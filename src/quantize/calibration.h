// Runs pictures with their prompts through a model, layer by layer as users' pages run, and answers
// them greedily, so that linear layers see what they see in use.
#ifndef OCTAVO_QUANTIZE_CALIBRATION_H_
#define OCTAVO_QUANTIZE_CALIBRATION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "formats/checkpoint.h"
#include "model/model.h"
#include "ops/context.h"
#include "quantize/linear_inputs.h"
#include "vision/image.h"

namespace octavo {

// One request as `octavo parse` makes them.
struct CalibrationSample {
  Image picture;
  std::string prompt;
  int max_answer_tokens = 64;
};

// What a model made of a sample.
struct CalibrationAnswer {
  std::vector<int32_t> prompt_ids;
  std::vector<int32_t> answer_ids;  // greedy, the end token included
};

// Before each sample, with its number.
using CalibrationProgress = std::function<void(size_t sample)>;

// The samples' answers by the model itself in the compute of `options`; samples longer than its
// context are cut short. Rows that go by are collected (`collector` may be null): first all
// pictures, then the texts once more with their answers, so that it is known how many rows will
// come. Uses context.pool and context.kernels.
// Throws as Model and EncodeChat do; kDataLoss (activations that are not finite),
// kInvalidArgument (no samples).
std::vector<CalibrationAnswer> RunCalibration(const Checkpoint& checkpoint,
                                              const ModelOptions& options,
                                              const std::vector<CalibrationSample>& samples,
                                              const ops::Context& context,
                                              InputCollector* collector,
                                              const CalibrationProgress& progress);

// The token that the model finds likeliest after each prefix of `answers` that ends in an answer,
// one list for each sample. For a model of the same tokens that is compared.
std::vector<std::vector<int32_t>> LikeliestTokens(const Checkpoint& checkpoint,
                                                  const ModelOptions& options,
                                                  const std::vector<CalibrationSample>& samples,
                                                  const std::vector<CalibrationAnswer>& answers,
                                                  const ops::Context& context,
                                                  InputCollector* collector);

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_CALIBRATION_H_
