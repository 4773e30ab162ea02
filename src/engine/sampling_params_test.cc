#include "engine/sampling_params.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace octavo {
namespace {

void ExpectRefused(const char* name, const std::function<void(SamplingParams*)>& edit) {
  SamplingParams params;
  edit(&params);
  try {
    CheckSamplingParams(params, 100);
    FAIL() << name << " is accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

TEST(SamplingParams, AcceptsDefaultsAndMinerusValues) {
  CheckSamplingParams({}, 100);
  SamplingParams params;
  params.top_p = 0.01;
  params.top_k = 1;
  params.presence_penalty = 1.0;
  params.frequency_penalty = 0.05;
  params.no_repeat_ngram_size = 100;
  params.stop = {"\n\n"};
  params.logit_bias = {{99, -100.0}};
  CheckSamplingParams(params, 100);
}

TEST(SamplingParams, RefusesEachFieldOutOfRangeByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  ExpectRefused("temperature", [](auto* p) { p->temperature = -0.1; });
  ExpectRefused("temperature", [&](auto* p) { p->temperature = nan; });
  ExpectRefused("top_p", [](auto* p) { p->top_p = 0; });
  ExpectRefused("top_p", [](auto* p) { p->top_p = 1.5; });
  ExpectRefused("top_p", [&](auto* p) { p->top_p = nan; });
  ExpectRefused("top_k", [](auto* p) { p->top_k = -1; });
  ExpectRefused("min_p", [](auto* p) { p->min_p = 2; });
  ExpectRefused("presence_penalty", [](auto* p) { p->presence_penalty = 2.5; });
  ExpectRefused("frequency_penalty", [](auto* p) { p->frequency_penalty = -3; });
  ExpectRefused("repetition_penalty", [](auto* p) { p->repetition_penalty = 0; });
  ExpectRefused("no_repeat_ngram_size", [](auto* p) { p->no_repeat_ngram_size = -1; });
  ExpectRefused("max_new_tokens", [](auto* p) { p->max_new_tokens = -1; });
  ExpectRefused("logit_bias", [](auto* p) { p->logit_bias = {{100, 1.0}}; });
  ExpectRefused("logit_bias", [&](auto* p) { p->logit_bias = {{1, nan}}; });
  ExpectRefused("stop_token_ids", [](auto* p) { p->stop_token_ids = {-1}; });
  ExpectRefused("stop", [](auto* p) { p->stop = {""}; });
  ExpectRefused("stop", [](auto* p) { p->stop.assign(kMaxStopStrings + 1, "x"); });
  ExpectRefused("stop", [](auto* p) { p->stop = {std::string(kMaxStopBytes + 1, 'x')}; });
}

}  // namespace
}  // namespace octavo
