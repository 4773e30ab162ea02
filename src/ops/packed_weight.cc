#include "ops/packed_weight.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/thread_pool.h"

namespace octavo::ops {

PackedWeight::PackedWeight(const PackedLayout& layout, std::byte** data)
    : layout_(layout), own_(PackedBytes(layout)) {
  data_ = own_.data();
  *data = own_.data();
}

PackedWeight PackedWeight::Pack(const Context& context, const TensorView& weight, int64_t n,
                                int64_t k) {
  OCTAVO_CHECK(n > 0 && k > 0 && weight.shape.num_elements() == n * k, "shape ",
               weight.shape.ToString(), ", wanted ", n, " x ", k);
  const PackedLayout layout = PackedLayout::Float(weight.dtype, n, k);
  const size_t panel_bytes = PackedPanelBytes(layout);
  std::byte* data = nullptr;
  PackedWeight packed(layout, &data);
  context.pool->ParallelFor(layout.num_panels(), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t p = begin; p < end; ++p) {
      PackFloatPanel(layout, weight, p, data + static_cast<size_t>(p) * panel_bytes);
    }
  });
  return packed;
}

PackedWeight PackedWeight::Borrow(const PackedLayout& layout, const std::byte* data,
                                  std::shared_ptr<const void> owner) {
  OCTAVO_CHECK(InvalidPackedLayout(layout) == nullptr, layout.n, " x ", layout.k);
  OCTAVO_CHECK(reinterpret_cast<uintptr_t>(data) % kBufferAlignment == 0);
  PackedWeight packed;
  packed.layout_ = layout;
  packed.data_ = data;
  packed.owner_ = std::move(owner);
  return packed;
}

void PackedWeight::UnpackRow(int64_t n_index, float* out) const {
  OCTAVO_CHECK(n_index >= 0 && n_index < n(), "row ", n_index, " of ", n());
  UnpackPackedRow(layout_, data_, n_index, out);
}

}  // namespace octavo::ops
