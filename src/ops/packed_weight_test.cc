#include "ops/packed_weight.h"

#include "ops/test_support.h"

namespace octavo::ops {
namespace {

TEST(PackedWeight, GivesBackEveryRowExactly) {
  const TestContext context;
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
    const Weight w = MakeWeight(*context, dtype, 37, 19);
    for (int64_t n = 0; n < 37; ++n) {
      std::vector<float> row(19);
      w.packed.UnpackRow(n, row.data());
      const std::vector<float> want(w.values.begin() + n * 19, w.values.begin() + (n + 1) * 19);
      EXPECT_TRUE(SameBits(row, want)) << DTypeName(dtype) << ", row " << n;
    }
  }
}

TEST(PackedWeight, ReadsUnalignedTensors) {
  const TestContext context;
  const std::vector<float> values = RandomFloats(12 * 5, 1);
  std::vector<std::byte> bytes(values.size() * sizeof(float) + 3);
  std::memcpy(bytes.data() + 3, values.data(), values.size() * sizeof(float));
  TensorView view{bytes.data() + 3, DType::kF32, Shape{12, 5}};
  const PackedWeight packed = PackedWeight::Pack(*context, view, 12, 5);
  std::vector<float> row(5);
  packed.UnpackRow(11, row.data());
  EXPECT_TRUE(SameBits(row, std::vector<float>(values.end() - 5, values.end())));
}

TEST(PackedWeight, GivesBackEveryRowOfGroups) {
  const TestContext context;
  for (const GroupLayout& layout : SomeGroupLayouts()) {
    const Weight w = MakeGroupWeight(layout, 37, 256);
    EXPECT_EQ(w.packed.format(), layout.bits == 4 ? WeightFormat::kW4 : WeightFormat::kW8);
    EXPECT_EQ(w.packed.size_bytes(), static_cast<size_t>(GroupMatrixBytes(layout, 37, 256)));
    for (int64_t n = 0; n < 37; ++n) {
      std::vector<float> row(256);
      w.packed.UnpackRow(n, row.data());
      const std::vector<float> want(w.values.begin() + n * 256, w.values.begin() + (n + 1) * 256);
      EXPECT_TRUE(SameBits(row, want)) << w.packed.layout().Describe() << ", row " << n;
    }
  }
}

TEST(PackedWeight, BorrowsBytesWhereTheyAreAndKeepsTheirOwner) {
  const TestContext context;
  const Weight w = MakeWeight(*context, DType::kBF16, 37, 19);
  auto bytes = std::make_shared<AlignedBuffer<std::byte>>(w.packed.size_bytes());
  std::memcpy(bytes->data(), w.packed.data(), bytes->size());
  const std::byte* data = bytes->data();
  const std::weak_ptr<AlignedBuffer<std::byte>> watch = bytes;
  {
    PackedWeight borrowed = PackedWeight::Borrow(w.packed.layout(), data, std::move(bytes));
    const PackedWeight moved = std::move(borrowed);
    EXPECT_EQ(moved.data(), data);
    EXPECT_FALSE(watch.expired());
    std::vector<float> row(19);
    moved.UnpackRow(36, row.data());
    EXPECT_TRUE(SameBits(row, std::vector<float>(w.values.end() - 19, w.values.end())));
  }
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace octavo::ops
