#include "ops/embedding.h"

#include "ops/packed_weight.h"
#include "ops/test_support.h"

namespace octavo::ops {
namespace {

TEST(Embedding, GathersRows) {
  const TestContext context;
  const std::vector<float> values = RandomFloats(30 * 12, 1);
  const TensorView view{reinterpret_cast<const std::byte*>(values.data()), DType::kF32,
                        Shape{30, 12}};
  const PackedWeight table = PackedWeight::Pack(*context, view, 30, 12);
  const std::vector<int32_t> ids = {29, 0, 7, 7};
  std::vector<float> out(ids.size() * 12);
  Embedding(*context, table, ids, Matrix(out, 4));
  for (size_t i = 0; i < ids.size(); ++i) {
    for (size_t c = 0; c < 12; ++c) {
      EXPECT_EQ(out[i * 12 + c], values[static_cast<size_t>(ids[i]) * 12 + c]);
    }
  }
}

}  // namespace
}  // namespace octavo::ops
