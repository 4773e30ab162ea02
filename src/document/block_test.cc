#include "document/block.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Block, KnowsTheTypesOfLayoutAnswers) {
  EXPECT_TRUE(IsBlockType("text"));
  EXPECT_TRUE(IsBlockType("unknown"));
  EXPECT_FALSE(IsBlockType("inline_formula"));
  EXPECT_FALSE(IsBlockType("Text"));
  EXPECT_FALSE(IsBlockType(""));
}

TEST(Block, KnowsWhenANameCanBeOnlyOneType) {
  EXPECT_EQ(OnlyBlockType("tit"), "title");
  EXPECT_EQ(OnlyBlockType("text"), "text");
  EXPECT_EQ(OnlyBlockType("table"), std::nullopt);
  EXPECT_EQ(OnlyBlockType("table_c"), "table_caption");
  EXPECT_EQ(OnlyBlockType("tablet"), std::nullopt);
  EXPECT_EQ(OnlyBlockType(""), std::nullopt);
}

TEST(Block, MeasuresTheCoveredShareOfTheInnerBox) {
  EXPECT_DOUBLE_EQ(CoveredShare({0, 0, 2, 1}, {1, 0, 5, 5}), 0.5);
  EXPECT_EQ(CoveredShare({0, 0, 1, 1}, {2, 2, 3, 3}), 0);
  EXPECT_EQ(CoveredShare({0, 0, 0, 1}, {0, 0, 1, 1}), 0);
}

}  // namespace
}  // namespace octavo
