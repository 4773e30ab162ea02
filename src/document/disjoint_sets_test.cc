#include "document/disjoint_sets.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(DisjointSets, JoinsAndNamesEachSetByItsSmallestNumber) {
  DisjointSets sets;
  for (int i = 0; i < 6; ++i) EXPECT_EQ(sets.Add(), i);
  sets.Join(5, 3);
  sets.Join(1, 4);
  EXPECT_EQ(sets.Find(5), 3);
  EXPECT_EQ(sets.Find(4), 1);
  EXPECT_EQ(sets.Find(0), 0);
  sets.Join(4, 5);
  sets.Join(5, 4);
  for (const int i : {1, 3, 4, 5}) EXPECT_EQ(sets.Find(i), 1);
  EXPECT_EQ(sets.Find(2), 2);
}

}  // namespace
}  // namespace octavo
