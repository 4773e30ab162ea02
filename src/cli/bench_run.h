// BenchRun: times the phases of reading on a loaded model: a page's encode, prefill and decode,
// stored answers behind it, one crop, and several crops together.
#ifndef OCTAVO_CLI_BENCH_RUN_H_
#define OCTAVO_CLI_BENCH_RUN_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/bench_replay.h"
#include "cli/bench_work.h"
#include "model/model.h"

namespace octavo {

// What is run. Grids are multiples of the merge size; batches are in 1 to the model's
// max_sequences, num_crops up to that, too.
struct BenchPlan {
  GridThw page;
  int decode_steps = 128;
  std::vector<int> batches = {1};  // sequences with the page's prompt decoded together, in turn
  GridThw crop;                    // of the phases "crop" (one) and "crops" (num_crops)
  int num_crops = 0;               // 0: without both
  int crop_tokens = 64;            // answer of each crop, the one that prefill gives included
  DType kv_dtype = DType::kBF16;   // of the cache
  ReplayPlan replay = {};          // behind the page's prompt; no answers: without it
};

struct DecodeTimes {
  int batch = 1;
  double seconds = 0;
  double bytes = 0;  // weights and cache read
};

// Pictures encoded one after the other, prompts prefilled one after the other, answers decoded
// together.
struct CropTimes {
  int count = 0;
  int64_t prompt_tokens = 0;  // of each
  double encode_seconds = 0;
  double prefill_seconds = 0;
  double decode_seconds = 0;
  double seconds() const { return encode_seconds + prefill_seconds + decode_seconds; }
};

struct BenchTimes {
  double encode_seconds = 0;
  int64_t prefill_tokens = 0;
  double prefill_seconds = 0;
  int decode_steps = 0;
  std::vector<DecodeTimes> decodes;  // one for each of BenchPlan::batches
  int64_t page_peak_bytes = 0;       // resident at most until the first of these was done
  ReplayTimes replay;
  int crop_tokens = 0;
  CropTimes crop, crops;  // count 0: not run
};

using BenchProgress = std::function<void(std::string_view phase, double share)>;

// Runs the phases on random pixels and fixed prompt ids, greedily.
// `progress(phase, share)` is called now and then with share in [0, 1].
BenchTimes RunBenchPhases(Model* model, const BenchWork& work, const BenchPlan& plan,
                          const BenchProgress& progress);

// Tokens of the layout prompt around the image: 15 before, 10 behind.
inline constexpr int kPromptTokensBefore = 15;
inline constexpr int kPromptTokensBehind = 10;

}  // namespace octavo

#endif  // OCTAVO_CLI_BENCH_RUN_H_
