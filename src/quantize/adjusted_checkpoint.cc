#include "quantize/adjusted_checkpoint.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/check.h"

namespace octavo {

void Adjust(const TensorAdjustment& adjustment, int64_t n, int64_t k, float* values) {
  const std::vector<float>& columns = adjustment.columns;
  const std::vector<float>& clip = adjustment.clip;
  const std::vector<float>& rows = adjustment.rows;
  const int64_t group = clip.empty() ? k : adjustment.clip_group;
  OCTAVO_CHECK(columns.empty() || columns.size() == static_cast<size_t>(k));
  OCTAVO_CHECK(rows.empty() || rows.size() == static_cast<size_t>(n));
  OCTAVO_CHECK(group > 0 && k % group == 0);
  OCTAVO_CHECK(clip.empty() || clip.size() == static_cast<size_t>(n * (k / group)));
  for (int64_t r = 0; r < n; ++r) {
    float* const row = values + r * k;
    if (!columns.empty()) {
      for (int64_t i = 0; i < k; ++i) row[i] *= columns[static_cast<size_t>(i)];
    }
    if (!clip.empty()) {
      for (int64_t i = 0; i < k; ++i) {
        const float limit = clip[static_cast<size_t>(r * (k / group) + i / group)];
        row[i] = std::clamp(row[i], -limit, limit);
      }
    }
    if (!rows.empty()) {
      for (int64_t i = 0; i < k; ++i) row[i] *= rows[static_cast<size_t>(r)];
    }
  }
}

AdjustedCheckpoint::AdjustedCheckpoint(const Checkpoint& original, Adjustments adjustments)
    : original_(original), adjustments_(std::move(adjustments)), tensors_(original.Tensors()) {
  for (TensorInfo& tensor : tensors_) {
    const auto found = adjustments_.find(tensor.name);
    if (found == adjustments_.end()) continue;
    tensor.dtype = DType::kF32;
    tensor.packed = std::nullopt;
    if (!found->second.packed.empty()) tensor.packed = found->second.packed_layout;
  }
}

std::optional<LoadedTensor> AdjustedCheckpoint::Find(std::string_view name) const {
  std::optional<LoadedTensor> tensor = original_.Find(name);
  const auto found = adjustments_.find(name);
  if (!tensor || found == adjustments_.end() || !found->second.packed.empty()) return tensor;
  const Shape shape = tensor->view.shape;
  const int64_t count = shape.num_elements();
  auto values = std::make_shared<AlignedBuffer<float>>(static_cast<size_t>(count));
  ToFloats(tensor->view, 0, count, values->data());
  Adjust(found->second, shape[0], count / shape[0], values->data());
  return LoadedTensor{{reinterpret_cast<const std::byte*>(values->data()), DType::kF32, shape},
                      values};
}

std::optional<PackedTensor> AdjustedCheckpoint::FindPacked(std::string_view name) const {
  const auto found = adjustments_.find(name);
  if (found == adjustments_.end()) return original_.FindPacked(name);
  const std::vector<std::byte>& packed = found->second.packed;
  if (packed.empty()) return std::nullopt;
  auto bytes = std::make_shared<AlignedBuffer<std::byte>>(packed.size());
  std::copy(packed.begin(), packed.end(), bytes->data());
  return PackedTensor{found->second.packed_layout, bytes->data(), bytes};
}

}  // namespace octavo
