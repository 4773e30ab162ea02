// One quantised linear layer of a Hugging Face checkpoint: reads its numbers where they lie and
// lays them out in groups.
#ifndef OCTAVO_FORMATS_QUANTIZED_MATRIX_H_
#define OCTAVO_FORMATS_QUANTIZED_MATRIX_H_

#include <optional>
#include <string>
#include <vector>

#include "base/aligned_buffer.h"
#include "formats/checkpoint.h"
#include "formats/quantization_config.h"

namespace octavo {

// w[o][i] = (q[o][i] - zero[o][g]) * scale[o][g] with g = group_of[i].
// Sources: AutoAWQ awq/utils/packing_utils.py; GPTQModel qlinear and utils/model.py (zeros of the
// first version are stored minus one, as one 32-bit word); compressed-tensors pack_quantized.
class QuantizedMatrix {
 public:
  // `module`: the name without ".weight". Its tensors stay mapped while this lives.
  // REQUIRES: CheckQuantizedTensors accepted the checkpoint.
  QuantizedMatrix(const Checkpoint& checkpoint, const QuantizationConfig& config,
                  const std::string& module);

  int64_t n() const { return n_; }
  int64_t k() const { return k_; }

  // How the matrix lies in groups, exactly; nullopt if it cannot: inputs that share a scale are not
  // side by side (act-order), groups that 32 does not divide, scales that 16 bits do not hold.
  std::optional<PackedLayout> Layout() const;
  // out: PackedBytes(layout). REQUIRES: *Layout().
  void Pack(const PackedLayout& layout, std::byte* out) const;
  // All weights, rounded once; out: [N, K].
  void Dequantize(float* out) const;

 private:
  int Q(int64_t o, int64_t i) const;
  int Zero(int64_t o, int64_t g) const;
  // Element of scales [G, O], or [O, G] where the method stores it so.
  int64_t ScalePlace(int64_t o, int64_t g) const;
  bool ScalesAre(DType dtype) const;

  QuantMethod method_;
  int bits_ = 4;
  bool is_v2_ = false;
  int64_t n_ = 0;
  int64_t k_ = 0;
  int64_t num_groups_ = 0;
  std::vector<int32_t> group_of_;  // [K]
  LoadedTensor weight_;
  std::optional<LoadedTensor> zeros_;
  LoadedTensor scales_;
};

}  // namespace octavo

#endif  // OCTAVO_FORMATS_QUANTIZED_MATRIX_H_
