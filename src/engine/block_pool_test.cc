#include "engine/block_pool.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

class BlockPoolTest : public ::testing::Test {
 protected:
  BlockPool MakePool(int num_blocks, int max_kept) {
    return BlockPool(num_blocks, max_kept, [this](int32_t block) { freed_.push_back(block); });
  }

  std::vector<int32_t> freed_;
};

TEST_F(BlockPoolTest, HandsOutTheLowestFreeBlockFirst) {
  BlockPool pool = MakePool(3, 0);
  EXPECT_EQ(pool.Allocate(), 0);
  EXPECT_EQ(pool.Allocate(), 1);
  pool.Free(0);
  EXPECT_EQ(freed_, (std::vector<int32_t>{0}));
  EXPECT_EQ(pool.Allocate(), 0);
  EXPECT_EQ(pool.Allocate(), 2);
  EXPECT_EQ(pool.num_free(), 0);
}

TEST_F(BlockPoolTest, SaysWhenNothingIsLeft) {
  BlockPool pool = MakePool(1, 0);
  ASSERT_TRUE(pool.Allocate().has_value());
  EXPECT_EQ(pool.Allocate(), std::nullopt);
  pool.Free(0);
  EXPECT_EQ(pool.num_free(), pool.num_blocks());
}

TEST_F(BlockPoolTest, KeepsAFullBlockForWhoNeedsTheSame) {
  BlockPool pool = MakePool(3, 3);
  const int32_t block = *pool.Allocate();
  pool.SetKey(block, {7, 7});
  EXPECT_EQ(pool.Find({7, 7}), block) << "shared while it is used";
  pool.Free(block);
  EXPECT_TRUE(freed_.empty());
  EXPECT_FALSE(pool.is_free(block));
  EXPECT_EQ(pool.Find({7, 7}), block);
  EXPECT_EQ(pool.Find({7, 8}), std::nullopt);
  EXPECT_EQ(pool.num_free(), 3);
  pool.Share(block);
  EXPECT_EQ(pool.num_free(), 2);
  EXPECT_FALSE(pool.is_free(block));
  pool.Share(block);
  pool.Free(block);
  EXPECT_TRUE(pool.has_users(block));
  pool.Free(block);
  EXPECT_EQ(pool.num_free(), 3);
}

TEST_F(BlockPoolTest, HandsOutFreeBlocksBeforeKeptOnesAndTheOldestOfTheseFirst) {
  BlockPool pool = MakePool(3, 3);
  for (uint64_t i = 0; i < 2; ++i) pool.SetKey(*pool.Allocate(), {i, 0});
  pool.Free(1);
  pool.Free(0);
  pool.Share(1);
  pool.Free(1);  // 0 is now the one unused longest
  EXPECT_EQ(pool.Allocate(), 2);
  EXPECT_EQ(pool.Allocate(), 0);
  EXPECT_EQ(freed_, (std::vector<int32_t>{0}));
  EXPECT_EQ(pool.Find({0, 0}), std::nullopt);
  EXPECT_EQ(pool.Find({1, 0}), 1);
  EXPECT_EQ(pool.Allocate(), 1);
  EXPECT_EQ(pool.Find({1, 0}), std::nullopt);
  EXPECT_EQ(pool.Allocate(), std::nullopt);
}

TEST_F(BlockPoolTest, KeepsNoMoreThanItMay) {
  BlockPool pool = MakePool(4, 2);
  for (uint64_t i = 0; i < 3; ++i) pool.SetKey(*pool.Allocate(), {i, 0});
  for (const int32_t block : {2, 0, 1}) pool.Free(block);
  EXPECT_EQ(freed_, (std::vector<int32_t>{2}));
  EXPECT_TRUE(pool.is_free(2));
  EXPECT_EQ(pool.Find({2, 0}), std::nullopt);
  EXPECT_EQ(pool.num_free(), 4);
  // Without any to keep, keys are not even noted.
  BlockPool none = MakePool(1, 0);
  none.SetKey(*none.Allocate(), {9, 9});
  EXPECT_EQ(none.Find({9, 9}), std::nullopt);
}

TEST_F(BlockPoolTest, LeavesAKeyToTheBlockThatHasIt) {
  BlockPool pool = MakePool(2, 2);
  pool.SetKey(*pool.Allocate(), {1, 1});
  pool.SetKey(*pool.Allocate(), {1, 1});
  EXPECT_EQ(pool.Find({1, 1}), 0);
  pool.Free(1);
  EXPECT_EQ(freed_, (std::vector<int32_t>{1}));
}

TEST(BlockPoolDeathTest, FreeingTwiceIsABug) {
  BlockPool pool(2, 0, [](int32_t) {});
  const int32_t block = *pool.Allocate();
  pool.Free(block);
  EXPECT_DEATH(pool.Free(block), "block 0");
}

}  // namespace
}  // namespace octavo
