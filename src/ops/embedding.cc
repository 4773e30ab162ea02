#include "ops/embedding.h"

#include "base/check.h"
#include "base/thread_pool.h"
#include "ops/row_grain.h"

namespace octavo::ops {

void Embedding(const Context& context, const PackedWeight& table, std::span<const int32_t> ids,
               FloatMatrix out) noexcept {
  const int64_t count = static_cast<int64_t>(ids.size());
  OCTAVO_CHECK(out.rows == count && out.cols == table.k(), out.rows, " x ", out.cols);
  context.pool->ParallelFor(count, RowGrain(out.cols), [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      const int32_t id = ids[static_cast<size_t>(i)];
      OCTAVO_CHECK(id >= 0 && id < table.n(), "id ", id, " of ", table.n());
      table.UnpackRow(id, out.row(i));
    }
  });
}

}  // namespace octavo::ops
