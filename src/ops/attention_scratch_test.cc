#include "ops/attention_scratch.h"

#include <gtest/gtest.h>

#include <vector>

#include "ops/attention.h"

namespace octavo::ops {
namespace {

TEST(AttentionScratch, EndsWhereTheCountedBytesEnd) {
  for (const int dim : {1, 64, 80}) {
    std::vector<float> floats(AttentionScratchBytes(dim) / sizeof(float));
    auto* area = reinterpret_cast<std::byte*>(floats.data());
    const AttentionScratch scratch(area, dim);
    const auto* end = reinterpret_cast<const std::byte*>(scratch.values + kKeySpan * dim);
    EXPECT_EQ(static_cast<size_t>(end - area), AttentionScratchBytes(dim)) << dim;
  }
}

}  // namespace
}  // namespace octavo::ops
