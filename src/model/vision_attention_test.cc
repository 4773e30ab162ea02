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

TEST(VisionAttention, IsInt16WherePairsOfItAreFastUnlessComputeIsF32) {
  for (const KernelTable* table : RunnableKernels()) {
    EXPECT_EQ(DefaultVisionAttention(true, *table), VisionAttention::kF32);
    // vpmaddwd gains over f32 in 256 bits; in 512 only with the dot products of VNNI.
    const bool gains = std::string_view(table->name).substr(0, 3) == "avx" &&
                       (std::string_view(table->name) != "avx512" || table->peak_int16_dot.run);
    EXPECT_EQ(DefaultVisionAttention(false, *table),
              gains ? VisionAttention::kInt16 : VisionAttention::kF32)
        << table->name;
  }
}

}  // namespace
}  // namespace octavo
