// BenchRun: times one page encode, one prefill and decode steps of a loaded model.
#ifndef OCTAVO_CLI_BENCH_RUN_H_
#define OCTAVO_CLI_BENCH_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "formats/checkpoint.h"
#include "model/model.h"
#include "ops/machine_limits.h"

namespace octavo {

// Arithmetic and traffic of the phases, counted from the shapes alone.
struct BenchWork {
  double encode_gemm_ops = 0;  // multiply and add counted as two
  double encode_attention_ops = 0;
  double prefill_ops = 0;          // linears and attention; logits of one row
  double decode_weight_bytes = 0;  // read once in a step, whatever the batch
  double kv_bytes_per_token = 0;   // read for every cached token of every sequence in a step
};

// `prefill_tokens` is the whole prompt. The weights' bytes are those of the dtypes in `tensors`.
BenchWork CountWork(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                    const GridThw& grid, int64_t prefill_tokens, DType kv_dtype);

// Seconds that the encoder would take at the machine's integer limits, the same floor whatever mode
// is run: int8 products for the linears and, for attention, int16 (AVX2), bf16 or int8 products,
// the best that the table has short of int8. 0 if the limits do not say.
double EncodeFloorSeconds(const BenchWork& work, const MachineLimits& limits);

struct BenchTimes {
  double encode_seconds = 0;
  int64_t prefill_tokens = 0;
  double prefill_seconds = 0;
  int decode_steps = 0;
  double decode_seconds = 0;
  double decode_bytes = 0;  // weights and cache read during decode_seconds
};

// Runs the phases on random pixels and fixed prompt ids. `progress(phase, share)` is called now and
// then with share in [0, 1]. REQUIRES: width and height are multiples of patch * merge.
BenchTimes RunBenchPhases(
    Model* model, const BenchWork& work, const GridThw& grid, int decode_steps, int batch,
    const std::function<void(std::string_view phase, double share)>& progress);

// Tokens of the layout prompt around the image: 15 before, 10 behind.
inline constexpr int kPromptTokensBefore = 15;
inline constexpr int kPromptTokensBehind = 10;

}  // namespace octavo

#endif  // OCTAVO_CLI_BENCH_RUN_H_
