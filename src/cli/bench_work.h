// BenchWork: arithmetic and traffic of the phases of a bench, and the least time that a machine's
// measured limits allow for them.
#ifndef OCTAVO_CLI_BENCH_WORK_H_
#define OCTAVO_CLI_BENCH_WORK_H_

#include <cstdint>
#include <vector>

#include "formats/checkpoint.h"
#include "model/model.h"
#include "ops/machine_limits.h"

namespace octavo {

// Counted from the shapes alone; a multiply and an add are two.
struct BenchWork {
  double encode_gemm_ops = 0;
  double encode_packed_ops = 0;  // of these, with quantised matrices
  double encode_attention_ops = 0;
  double prefill_ops = 0;          // linears and attention; logits of one row
  double prefill_packed_ops = 0;   // of these, with quantised matrices
  double decode_weight_bytes = 0;  // read once in a step, whatever the batch
  double kv_bytes_per_token = 0;   // read for every cached token of every sequence in a step
};

// `prefill_tokens` is the whole prompt. The weights' bytes are those of the forms in `tensors`.
BenchWork CountWork(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                    const GridThw& grid, int64_t prefill_tokens, DType kv_dtype);

// Seconds that the encoder would take at the machine's integer limits, the same floor whatever mode
// is run: int8 products for the linears and, for attention, int16 (AVX2), bf16 or int8 products,
// the best that the table has short of int8. 0 if the limits do not say.
double EncodeFloorSeconds(const BenchWork& work, const MachineLimits& limits);

// Rates in 10^9 operations per second that a mode runs at where nothing is lost.
struct ModePeaks {
  double plain = 0;      // matrices of float formats, attention of the language model
  double packed = 0;     // quantised matrices
  double attention = 0;  // of the vision tower
};
ModePeaks PeaksOf(Compute compute, VisionAttention attention, const MachineLimits& limits);

// The least seconds of a phase in that mode; 0 if the peaks do not say.
double EncodeModeSeconds(const BenchWork& work, const ModePeaks& peaks);
double PrefillModeSeconds(const BenchWork& work, const ModePeaks& peaks);

}  // namespace octavo

#endif  // OCTAVO_CLI_BENCH_WORK_H_
