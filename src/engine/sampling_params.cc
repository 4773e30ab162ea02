#include "engine/sampling_params.h"

#include <cmath>

#include "base/str_cat.h"

namespace octavo {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

// Also refuses NaN, which compares false with everything.
void RequireBetween(const char* name, double value, double low, double high) {
  if (value >= low && value <= high) return;
  Refuse(StrCat(name, " is ", value, ", expected ", low, " to ", high));
}

void RequireId(const char* name, int32_t id, int vocab_size) {
  if (id >= 0 && id < vocab_size) return;
  Refuse(StrCat(name, " has id ", id, ", the vocabulary has ", vocab_size));
}

}  // namespace

void CheckSamplingParams(const SamplingParams& params, int vocab_size) {
  RequireBetween("temperature", params.temperature, 0, 100);
  if (!(params.top_p > 0)) Refuse(StrCat("top_p is ", params.top_p, ", expected more than 0"));
  RequireBetween("top_p", params.top_p, 0, 1);
  if (params.top_k < 0) Refuse(StrCat("top_k is ", params.top_k, ", expected 0 or more"));
  RequireBetween("min_p", params.min_p, 0, 1);
  RequireBetween("presence_penalty", params.presence_penalty, -2, 2);
  RequireBetween("frequency_penalty", params.frequency_penalty, -2, 2);
  if (!(params.repetition_penalty > 0) || !std::isfinite(params.repetition_penalty)) {
    Refuse(StrCat("repetition_penalty is ", params.repetition_penalty, ", expected more than 0"));
  }
  if (params.no_repeat_ngram_size < 0) {
    Refuse(StrCat("no_repeat_ngram_size is ", params.no_repeat_ngram_size, ", expected 0 or more"));
  }
  if (params.max_new_tokens < 0) {
    Refuse(StrCat("max_new_tokens is ", params.max_new_tokens, ", expected 0 or more"));
  }
  for (const auto& [id, bias] : params.logit_bias) {
    RequireId("logit_bias", id, vocab_size);
    RequireBetween("logit_bias", bias, -1e4, 1e4);
  }
  for (const int32_t id : params.stop_token_ids) RequireId("stop_token_ids", id, vocab_size);
  if (params.stop.size() > kMaxStopStrings) {
    Refuse(StrCat("stop has ", params.stop.size(), " strings, at most ", kMaxStopStrings));
  }
  for (const std::string& stop : params.stop) {
    if (stop.empty() || stop.size() > kMaxStopBytes) {
      Refuse(StrCat("stop has a string of ", stop.size(), " bytes, expected 1 to ", kMaxStopBytes));
    }
  }
}

}  // namespace octavo
