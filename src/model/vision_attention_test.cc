#include "model/vision_attention.h"

#include <gtest/gtest.h>

#include <string>

#include "kernels/select.h"

namespace octavo {
namespace {

TEST(VisionAttention, NamesReadBack) {
  for (const VisionAttention attention : {VisionAttention::kF32, VisionAttention::kInt16}) {
    EXPECT_EQ(ParseVisionAttention(VisionAttentionName(attention)), attention);
  }
  for (const char* word : {"", "f16", "int16 ", "INT16", "bf16"}) {
    EXPECT_EQ(ParseVisionAttention(word), std::nullopt) << word;
  }
}

TEST(VisionAttention, IsInt16OnAvx2UnlessComputeIsF32) {
  for (const KernelTable* table : RunnableKernels()) {
    EXPECT_EQ(DefaultVisionAttention(true, *table), VisionAttention::kF32);
    const bool is_avx2 = std::string(table->name) == "avx2";
    EXPECT_EQ(DefaultVisionAttention(false, *table),
              is_avx2 ? VisionAttention::kInt16 : VisionAttention::kF32)
        << table->name;
  }
}

}  // namespace
}  // namespace octavo
