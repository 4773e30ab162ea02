// A checkpoint whose weights are prepared for rounding: columns scaled and the scales taken out of
// what comes before, large weights clipped. Computes the same function but for the clipping. Or
// rounded already, by a search that knows better than the nearest.
#ifndef OCTAVO_QUANTIZE_ADJUSTED_CHECKPOINT_H_
#define OCTAVO_QUANTIZE_ADJUSTED_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/checkpoint.h"

namespace octavo {

// In this order: columns, clipping, rows. Of a vector [N] only `rows`.
struct TensorAdjustment {
  std::vector<float> columns = {};  // [K], factors; empty: none
  std::vector<float> clip = {};     // [N, K / clip_group], bounds of |w|; empty: none
  int64_t clip_group = 0;           // divides K
  std::vector<float> rows = {};     // [N], factors; empty: none
  // The matrix as it shall be written, PackedBytes(packed_layout), instead of all of the above;
  // empty: it is still to be rounded.
  PackedLayout packed_layout = {};
  std::vector<std::byte> packed = {};

  bool operator==(const TensorAdjustment&) const = default;
};

// By name of the tensor.
using Adjustments = std::map<std::string, TensorAdjustment, std::less<>>;

// values: [N, K] in place.
void Adjust(const TensorAdjustment& adjustment, int64_t n, int64_t k, float* values);

// The original outlives it. Const and safe from any thread.
class AdjustedCheckpoint final : public Checkpoint {
 public:
  // REQUIRES: every adjusted tensor is there, of a float format, with the sizes above.
  AdjustedCheckpoint(const Checkpoint& original, Adjustments adjustments);

  std::string Source() const override { return original_.Source(); }
  std::string Container() const override { return original_.Container(); }
  // Adjusted tensors are F32 and not packed; those that are rounded already are both: Find gives
  // what they were before, FindPacked what became of them.
  const std::vector<TensorInfo>& Tensors() const override { return tensors_; }
  std::optional<LoadedTensor> Find(std::string_view name) const override;
  std::optional<PackedTensor> FindPacked(std::string_view name) const override;
  std::optional<std::string> TextFile(std::string_view name) const override {
    return original_.TextFile(name);
  }

 private:
  const Checkpoint& original_;
  Adjustments adjustments_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace octavo

#endif  // OCTAVO_QUANTIZE_ADJUSTED_CHECKPOINT_H_
