#include "quantize/round_to_nearest.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "quantize/group_rounding.h"

namespace octavo {
namespace {

// What one thread needs for one panel.
struct Scratch {
  explicit Scratch(int64_t k)
      : rows(static_cast<size_t>(kPanelColumns * k)), q(static_cast<size_t>(kPanelColumns * k)) {}
  std::vector<float> rows;  // [16][k]
  std::vector<uint8_t> q;   // [16][k]
};

class PanelRounder {
 public:
  PanelRounder(const PackedLayout& layout, const TensorView& weight, Scratch* scratch)
      : layout_(layout), group_(layout.group), weight_(weight), scratch_(*scratch) {}

  RoundingError Round(int64_t panel, std::byte* out) {
    const int64_t k = layout_.k;
    const int64_t first_row = panel * kPanelColumns;
    columns_ = static_cast<int>(std::min<int64_t>(kPanelColumns, layout_.n - first_row));
    ToFloats(weight_, first_row * k, columns_ * k, scratch_.rows.data());
    RoundingError error;
    for (int64_t i = 0; i < columns_ * k; ++i) {
      if (!std::isfinite(scratch_.rows[static_cast<size_t>(i)])) error.is_finite = false;
    }
    if (!error.is_finite) return error;
    for (int64_t g = 0; g < k / group_.group_size; ++g) {
      for (int column = 0; column < columns_; ++column) RoundColumn(column, g, &error);
      WriteGroupBlock(group_,
                      {scratch_.q.data() + g * group_.group_size, k, scales_, zeros_, columns_},
                      out + GroupBlockOffset(group_, k, 0, g));
    }
    return error;
  }

 private:
  void RoundColumn(int column, int64_t g, RoundingError* error) {
    const int64_t begin = column * layout_.k + g * group_.group_size;
    const float* w = scratch_.rows.data() + begin;
    uint8_t* q = scratch_.q.data() + begin;
    const int size = group_.group_size;
    const GroupRange range = FindGroupRange(group_, w, size);
    if (!std::isfinite(range.scale)) {
      error->is_in_range = false;
      return;
    }
    RoundGroup(range, w, size, q);
    for (int i = 0; i < size; ++i) {
      const double rounded =
          static_cast<double>(static_cast<float>(q[i] - range.zero) * range.scale);
      const double difference = rounded - static_cast<double>(w[i]);
      error->squares += difference * difference;
      error->weight_squares += static_cast<double>(w[i]) * static_cast<double>(w[i]);
      error->max_abs = std::max(error->max_abs, std::abs(difference));
    }
    scales_[column] = range.scale_bits;
    zeros_[column] = static_cast<uint8_t>(range.zero);
  }

  const PackedLayout& layout_;
  const GroupLayout& group_;
  const TensorView& weight_;
  Scratch& scratch_;
  int columns_ = 0;
  uint16_t scales_[kPanelColumns] = {};
  uint8_t zeros_[kPanelColumns] = {};
};

}  // namespace

double RoundingError::Relative() const {
  return weight_squares > 0 ? std::sqrt(squares / weight_squares) : 0;
}

RoundingError RoundToNearest(const PackedLayout& layout, const TensorView& weight, ThreadPool* pool,
                             std::byte* out) {
  OCTAVO_CHECK(layout.is_quantized() && InvalidPackedLayout(layout) == nullptr);
  OCTAVO_CHECK(layout.group.bits == 4 || layout.group.is_7bit);
  OCTAVO_CHECK(weight.shape.num_elements() == layout.n * layout.k, weight.shape.ToString());
  const int64_t panels = layout.num_panels();
  std::vector<RoundingError> errors(static_cast<size_t>(panels));
  std::vector<Scratch> scratch(static_cast<size_t>(pool->num_threads()), Scratch(layout.k));
  pool->ParallelFor(panels, 1, [&](int64_t begin, int64_t end, int thread) {
    PanelRounder rounder(layout, weight, &scratch[static_cast<size_t>(thread)]);
    for (int64_t p = begin; p < end; ++p) {
      errors[static_cast<size_t>(p)] =
          rounder.Round(p, out + static_cast<size_t>(p) * PackedPanelBytes(layout));
    }
  });
  RoundingError all;
  for (const RoundingError& error : errors) {
    all.squares += error.squares;
    all.weight_squares += error.weight_squares;
    all.max_abs = std::max(all.max_abs, error.max_abs);
    all.is_finite = all.is_finite && error.is_finite;
    all.is_in_range = all.is_in_range && error.is_in_range;
  }
  return all;
}

}  // namespace octavo
