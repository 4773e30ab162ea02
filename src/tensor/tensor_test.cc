#include "tensor/tensor.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "tensor/float16.h"

namespace octavo {
namespace {

TEST(Shape, CountsAndPrintsItsDimensions) {
  const Shape shape{896, 128};
  EXPECT_EQ(shape.rank(), 2);
  EXPECT_EQ(shape[1], 128);
  EXPECT_EQ(shape.num_elements(), 896 * 128);
  EXPECT_EQ(shape.ToString(), "[896, 128]");
  EXPECT_EQ(Shape().num_elements(), 1);  // a scalar
  EXPECT_EQ(Shape().ToString(), "[]");
  EXPECT_EQ((Shape{3, 0, 5}).num_elements(), 0);
}

TEST(Shape, EqualMeansSameRankAndDimensions) {
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{3, 2}));
  EXPECT_FALSE((Shape{2}) == (Shape{2, 0}));
  EXPECT_EQ(Shape(std::vector<int64_t>{1, 2, 3, 4, 5}), (Shape{1, 2, 3, 4, 5}));
}

TEST(ShapeDeathTest, ImpossibleShapesStop) {
  EXPECT_DEATH((Shape{1, 2, 3, 4, 5, 6}), "check failed");
  EXPECT_DEATH((Shape{2, -1}), "check failed");
}

// Bytes of the values at an address that is no multiple of the element size.
template <typename T>
std::vector<std::byte> Misaligned(const std::vector<T>& values) {
  std::vector<std::byte> bytes(1 + values.size() * sizeof(T));
  std::memcpy(bytes.data() + 1, values.data(), values.size() * sizeof(T));
  return bytes;
}

TEST(ToFloats, WidensAWindowOfEachTypeAtAnyAddress) {
  const std::vector<float> expected = {0.5f, -2.0f, 3.0f};
  const auto f32 = Misaligned<float>({9, 0.5f, -2.0f, 3.0f, 9});
  const auto f16 = Misaligned<uint16_t>({0, 0x3800, 0xC000, 0x4200, 0});
  const auto bf16 = Misaligned<uint16_t>({0, 0x3F00, 0xC000, 0x4040, 0});
  const TensorView views[] = {{f32.data() + 1, DType::kF32, Shape{5}},
                              {f16.data() + 1, DType::kF16, Shape{5}},
                              {bf16.data() + 1, DType::kBF16, Shape{5}}};
  for (const TensorView& view : views) {
    std::vector<float> out(3);
    ToFloats(view, 1, 3, out.data());
    EXPECT_EQ(out, expected) << DTypeName(view.dtype);
    ToFloats(view, 5, 0, nullptr);
  }
}

TEST(ToFloatsDeathTest, IntegersStop) {
  const int32_t value = 1;
  const TensorView view{reinterpret_cast<const std::byte*>(&value), DType::kI32, Shape{1}};
  float out = 0;
  EXPECT_DEATH(ToFloats(view, 0, 1, &out), "I32");
}

TEST(TensorView, SizeInBytesFollowsTheType) {
  EXPECT_EQ((TensorView{nullptr, DType::kBF16, Shape{3, 5}}).size_bytes(), 30u);
  EXPECT_EQ((TensorView{nullptr, DType::kI64, Shape{}}).size_bytes(), 8u);
}

}  // namespace
}  // namespace octavo
