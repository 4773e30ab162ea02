#include "cli/bench_work.h"

#include <cmath>
#include <initializer_list>

#include "model/kv_cache.h"

namespace octavo {
namespace {

constexpr double kGiga = 1e9;

// Seconds for operations at a peak; negative where work has no peak.
double SecondsAt(double operations, double peak) {
  if (operations <= 0) return 0;
  return peak > 0 ? operations / (peak * kGiga) : -1;
}

double SumUnlessUnknown(std::initializer_list<double> parts) {
  double sum = 0;
  for (const double seconds : parts) {
    if (seconds < 0) return 0;
    sum += seconds;
  }
  return sum;
}

}  // namespace

BenchWork CountWork(const ModelConfig& config, const std::vector<TensorInfo>& tensors,
                    const GridThw& grid, int64_t prefill_tokens, DType kv_dtype) {
  BenchWork work;
  const double patches = static_cast<double>(grid.t) * grid.h * grid.w;
  const double merge_area = std::pow(config.vision.spatial_merge_size, 2);
  const double tokens = static_cast<double>(prefill_tokens);
  for (const TensorInfo& tensor : tensors) {
    const double elements = static_cast<double>(tensor.shape.num_elements());
    const bool is_vision = tensor.name.rfind("visual.", 0) == 0;
    const bool is_matrix = tensor.shape.rank() >= 2;
    const bool is_packed = tensor.packed && tensor.packed->is_quantized();
    if (is_vision && is_matrix) {
      const bool is_merger = tensor.name.rfind("visual.merger.", 0) == 0;
      const double ops = 2 * elements * (is_merger ? patches / merge_area : patches);
      work.encode_gemm_ops += ops;
      if (is_packed) work.encode_packed_ops += ops;
    }
    if (is_vision) continue;
    // A decode step gathers a few rows of an untied embedding table instead of reading it.
    const bool is_gathered =
        tensor.name == "model.embed_tokens.weight" && !config.text.tie_word_embeddings;
    if (!is_gathered) work.decode_weight_bytes += static_cast<double>(StoredBytes(tensor));
    const bool is_table =
        tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight";
    if (!is_matrix || is_table) continue;
    work.prefill_ops += 2 * elements * tokens;
    if (is_packed) work.prefill_packed_ops += 2 * elements * tokens;
  }
  const double segment = static_cast<double>(grid.h) * grid.w;
  work.encode_attention_ops =
      4 * segment * segment * grid.t * config.vision.embed_dim * config.vision.depth;
  work.prefill_ops += 2 * static_cast<double>(config.text.vocab_size) * config.text.hidden_size;
  work.prefill_ops += 2 * tokens * tokens * config.text.hidden_size * config.text.num_hidden_layers;
  work.kv_bytes_per_token = static_cast<double>(KvCache::BytesPerToken(config.text, kv_dtype));
  return work;
}

double EncodeFloorSeconds(const BenchWork& work, const MachineLimits& limits) {
  const double gemm = limits.int8_dot > 0 ? limits.int8_dot : limits.int8_maddubs16;
  double attention = limits.bf16_dot > 0 ? limits.bf16_dot : limits.int16_madd;
  if (attention <= 0) attention = limits.fp32_fma;
  return SumUnlessUnknown(
      {SecondsAt(work.encode_gemm_ops, gemm), SecondsAt(work.encode_attention_ops, attention)});
}

ModePeaks PeaksOf(Compute compute, VisionAttention attention, const MachineLimits& limits) {
  ModePeaks peaks{limits.fp32_fma, limits.fp32_fma, limits.fp32_fma};
  if (compute == Compute::kBF16 && limits.bf16_dot > 0) peaks.plain = limits.bf16_dot;
  if (compute == Compute::kInt8) {
    if (limits.int8_maddubs16 > 0) peaks.packed = limits.int8_maddubs16;
    if (limits.int8_dot > 0) peaks.packed = limits.int8_dot;
  }
  const double int16 = limits.int16_dot > 0 ? limits.int16_dot : limits.int16_madd;
  if (compute == Compute::kInt16 && int16 > 0) peaks.packed = int16;
  if (attention == VisionAttention::kInt16 && int16 > 0) peaks.attention = int16;
  return peaks;
}

double EncodeModeSeconds(const BenchWork& work, const ModePeaks& peaks) {
  return SumUnlessUnknown({SecondsAt(work.encode_gemm_ops - work.encode_packed_ops, peaks.plain),
                           SecondsAt(work.encode_packed_ops, peaks.packed),
                           SecondsAt(work.encode_attention_ops, peaks.attention)});
}

double PrefillModeSeconds(const BenchWork& work, const ModePeaks& peaks) {
  return SumUnlessUnknown({SecondsAt(work.prefill_ops - work.prefill_packed_ops, peaks.plain),
                           SecondsAt(work.prefill_packed_ops, peaks.packed)});
}

}  // namespace octavo
