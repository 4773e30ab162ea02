#include "engine/block_pool.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(BlockPool, HandsOutTheLowestFreeBlockFirst) {
  BlockPool pool(3);
  EXPECT_EQ(pool.Allocate(), 0);
  EXPECT_EQ(pool.Allocate(), 1);
  pool.Free(0);
  EXPECT_EQ(pool.Allocate(), 0);
  EXPECT_EQ(pool.Allocate(), 2);
  EXPECT_EQ(pool.num_free(), 0);
}

TEST(BlockPool, SaysWhenNothingIsLeft) {
  BlockPool pool(1);
  ASSERT_TRUE(pool.Allocate().has_value());
  EXPECT_EQ(pool.Allocate(), std::nullopt);
  pool.Free(0);
  EXPECT_EQ(pool.num_free(), pool.num_blocks());
}

TEST(BlockPoolDeathTest, FreeingTwiceIsABug) {
  BlockPool pool(2);
  const int32_t block = *pool.Allocate();
  pool.Free(block);
  EXPECT_DEATH(pool.Free(block), "block 0");
}

}  // namespace
}  // namespace octavo
