#include "formats/gguf_tensor_type.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Sizes as in ggml-quants: bytes of a block and its elements.
TEST(GgufTensorType, BlockSizesAreThoseOfGgml) {
  const struct {
    uint32_t id;
    const char* name;
    int64_t elements;
    int64_t bytes;
  } rows[] = {{0, "F32", 1, 4},       {1, "F16", 1, 2},       {30, "BF16", 1, 2},
              {2, "Q4_0", 32, 18},    {3, "Q4_1", 32, 20},    {6, "Q5_0", 32, 22},
              {7, "Q5_1", 32, 24},    {8, "Q8_0", 32, 34},    {12, "Q4_K", 256, 144},
              {13, "Q5_K", 256, 176}, {14, "Q6_K", 256, 210}, {20, "IQ4_NL", 32, 18}};
  for (const auto& row : rows) {
    const GgufTensorType* type = FindGgufTensorType(row.id);
    ASSERT_NE(type, nullptr) << row.name;
    EXPECT_STREQ(type->name, row.name);
    EXPECT_EQ(type->block_elements, row.elements);
    EXPECT_EQ(type->block_bytes, row.bytes);
  }
}

TEST(GgufTensorType, RemovedAndUnknownIdsAreNone) {
  for (const uint32_t id : {4u, 5u, 31u, 32u, 33u, 36u, 37u, 38u, 9999u, ~0u}) {
    EXPECT_EQ(FindGgufTensorType(id), nullptr) << id;
  }
}

}  // namespace
}  // namespace octavo
