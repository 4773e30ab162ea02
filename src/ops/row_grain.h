// RowGrain: rows per task of ops that walk rows once.
#ifndef OCTAVO_OPS_ROW_GRAIN_H_
#define OCTAVO_OPS_ROW_GRAIN_H_

#include <algorithm>
#include <cstdint>

namespace octavo::ops {

// About 16k numbers per task: some microseconds of work, well above the price of claiming it.
inline int64_t RowGrain(int64_t cols) {
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cols));
}

}  // namespace octavo::ops

#endif  // OCTAVO_OPS_ROW_GRAIN_H_
