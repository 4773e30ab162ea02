#include "text/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/random.h"

namespace octavo {
namespace {

using Ids = std::vector<int32_t>;

Ids Merge(const MergeTable& table, Ids ids) {
  Ids out;
  BpeMerger(table).Merge(&ids, &out);
  return out;
}

// The definition: again and again the leftmost pair of the lowest rank.
Ids SlowMerge(const MergeTable& table, Ids ids) {
  while (true) {
    uint32_t lowest = MergeTable::kNoRank;
    size_t where = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const uint32_t rank = table.FindRank(ids[i], ids[i + 1]);
      if (rank < lowest) {
        lowest = rank;
        where = i;
      }
    }
    if (lowest == MergeTable::kNoRank) return ids;
    ids[where] = table.merged_id(lowest);
    ids.erase(ids.begin() + static_cast<ptrdiff_t>(where) + 1);
  }
}

// `num_ids` random merges over that many letters; later tokens are made of earlier ones.
MergeTable RandomMerges(uint64_t seed, int32_t num_letters, int32_t num_merges) {
  Random random(seed);
  MergeTable table(static_cast<size_t>(num_merges));
  int32_t next = num_letters;
  while (next < num_letters + num_merges) {
    const auto left = static_cast<int32_t>(random.Below(static_cast<uint64_t>(next)));
    const auto right = static_cast<int32_t>(random.Below(static_cast<uint64_t>(next)));
    if (table.Add(left, right, next)) ++next;
  }
  return table;
}

TEST(Bpe, MergesLowestRankFirst) {
  MergeTable table(2);
  ASSERT_TRUE(table.Add(2, 3, 10));
  ASSERT_TRUE(table.Add(1, 2, 11));
  EXPECT_EQ(Merge(table, {1, 2, 3}), (Ids{1, 10}));
  EXPECT_EQ(Merge(table, {1, 2}), (Ids{11}));
}

TEST(Bpe, MergesLeftmostOnEqualRank) {
  MergeTable table(1);
  ASSERT_TRUE(table.Add(1, 1, 2));
  EXPECT_EQ(Merge(table, {1, 1, 1}), (Ids{2, 1}));
}

TEST(Bpe, TakesEmptyAndSingleInput) {
  const MergeTable table(0);
  EXPECT_EQ(Merge(table, {}), Ids{});
  EXPECT_EQ(Merge(table, {7}), Ids{7});
  EXPECT_EQ(Merge(table, {7, 7}), (Ids{7, 7}));
}

TEST(Bpe, RefusesASecondRankOfOnePair) {
  MergeTable table(2);
  EXPECT_TRUE(table.Add(1, 2, 3));
  EXPECT_FALSE(table.Add(1, 2, 4));
  EXPECT_EQ(table.num_merges(), 1u);
  EXPECT_EQ(table.merged_id(table.FindRank(1, 2)), 3);
  EXPECT_EQ(table.FindRank(2, 1), MergeTable::kNoRank);
}

TEST(Bpe, FindsEveryPairOfAFullTable) {
  constexpr int32_t kNumMerges = 3000;
  MergeTable table(kNumMerges);
  for (int32_t i = 0; i < kNumMerges; ++i) ASSERT_TRUE(table.Add(i % 50, i / 50, i));
  for (int32_t i = 0; i < kNumMerges; ++i) {
    ASSERT_EQ(table.FindRank(i % 50, i / 50), static_cast<uint32_t>(i));
  }
}

// Words around the border between the scan and the heap, against the definition.
TEST(Bpe, ShortAndLongPathAgree) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const MergeTable table = RandomMerges(seed, 3, 60);
    Random random(seed + 100);
    for (size_t length = 1; length < 200; length += 1 + length / 10) {
      Ids ids;
      for (size_t i = 0; i < length; ++i) ids.push_back(static_cast<int32_t>(random.Below(3)));
      ASSERT_EQ(Merge(table, ids), SlowMerge(table, ids)) << seed << " " << length;
    }
  }
}

TEST(Bpe, MergesAMillionTokensInLittleTime) {
  MergeTable table(20);
  for (int32_t i = 0; i < 20; ++i) ASSERT_TRUE(table.Add(i, i, i + 1));
  const auto start = std::chrono::steady_clock::now();
  const Ids merged = Merge(table, Ids(1 << 20, 0));
  const auto elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(merged, Ids{20});
  EXPECT_LT(std::chrono::duration_cast<std::chrono::seconds>(elapsed).count(), 10);
}

}  // namespace
}  // namespace octavo
