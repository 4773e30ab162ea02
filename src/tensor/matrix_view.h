// MatrixView: rows of numbers in memory, with a row stride; the currency of the ops.
#ifndef OCTAVO_TENSOR_MATRIX_VIEW_H_
#define OCTAVO_TENSOR_MATRIX_VIEW_H_

#include <cstdint>
#include <type_traits>

#include "base/check.h"

namespace octavo {

// x[r][c] = data[r * row_stride + c]; 0 <= r < rows, 0 <= c < cols. Does not own.
template <typename T>
struct MatrixView {
  T* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t row_stride = 0;

  MatrixView() = default;
  MatrixView(T* d, int64_t r, int64_t c) : MatrixView(d, r, c, c) {}
  MatrixView(T* d, int64_t r, int64_t c, int64_t stride)
      : data(d), rows(r), cols(c), row_stride(stride) {}
  // A mutable view reads as a const one.
  template <typename U, typename = std::enable_if_t<std::is_same_v<const U, T>>>
  MatrixView(const MatrixView<U>& other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data, other.rows, other.cols, other.row_stride) {}

  T* row(int64_t r) const {
    OCTAVO_DCHECK(r >= 0 && r < rows, "row ", r, " of ", rows);
    return data + r * row_stride;
  }
  // Rows [begin, begin + count).
  MatrixView Rows(int64_t begin, int64_t count) const {
    OCTAVO_DCHECK(begin >= 0 && count >= 0 && begin + count <= rows);
    return {data + begin * row_stride, count, cols, row_stride};
  }
  // Columns [begin, begin + count).
  MatrixView Cols(int64_t begin, int64_t count) const {
    OCTAVO_DCHECK(begin >= 0 && count >= 0 && begin + count <= cols);
    return {data + begin, rows, count, row_stride};
  }
};

using FloatMatrix = MatrixView<float>;
using ConstFloatMatrix = MatrixView<const float>;

}  // namespace octavo

#endif  // OCTAVO_TENSOR_MATRIX_VIEW_H_
