#include "tensor/matrix_view.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(MatrixView, WindowsKeepTheStride) {
  std::vector<float> data(24);
  std::iota(data.begin(), data.end(), 0.0f);
  const FloatMatrix matrix(data.data(), 3, 6, 8);
  EXPECT_EQ(matrix.row(2)[5], 21.0f);
  const FloatMatrix window = matrix.Rows(1, 2).Cols(2, 3);
  EXPECT_EQ(window.rows, 2);
  EXPECT_EQ(window.cols, 3);
  EXPECT_EQ(window.row(1)[0], 18.0f);
  window.row(0)[0] = -1.0f;
  EXPECT_EQ(data[10], -1.0f);
}

TEST(MatrixView, MutableReadsAsConst) {
  float x = 2.0f;
  const FloatMatrix matrix(&x, 1, 1);
  const ConstFloatMatrix view = matrix;
  EXPECT_EQ(view.row(0)[0], 2.0f);
  EXPECT_EQ(view.row_stride, 1);
}

}  // namespace
}  // namespace octavo
