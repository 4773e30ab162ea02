#include "engine/encoder_cache.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

SharedEmbeddings Of(int64_t num_tokens) {
  auto embeddings = std::make_shared<ImageEmbeddings>();
  embeddings->num_tokens = num_tokens;
  return embeddings;
}

TEST(EncoderCache, GivesBackWhatItWasGiven) {
  EncoderCache cache(100);
  const SharedEmbeddings first = Of(40);
  const SharedEmbeddings second = Of(60);
  cache.Add({1, 1}, first);
  cache.Add({1, 2}, second);
  EXPECT_EQ(cache.Find({1, 1}), first);
  EXPECT_EQ(cache.Find({1, 2}), second);
  EXPECT_EQ(cache.Find({2, 1}), nullptr);
  EXPECT_EQ(cache.num_tokens(), 100);
}

TEST(EncoderCache, DropsWhatWasUsedLongestAgo) {
  EncoderCache cache(100);
  cache.Add({1, 0}, Of(40));
  cache.Add({2, 0}, Of(40));
  EXPECT_NE(cache.Find({1, 0}), nullptr);
  cache.Add({3, 0}, Of(50));
  EXPECT_NE(cache.Find({1, 0}), nullptr);
  EXPECT_EQ(cache.Find({2, 0}), nullptr);
  EXPECT_NE(cache.Find({3, 0}), nullptr);
  EXPECT_EQ(cache.num_tokens(), 90);
}

TEST(EncoderCache, KeepsNothingThatIsTooLarge) {
  EncoderCache cache(10);
  cache.Add({1, 0}, Of(10));
  cache.Add({2, 0}, Of(11));
  EXPECT_NE(cache.Find({1, 0}), nullptr);
  EXPECT_EQ(cache.Find({2, 0}), nullptr);
  EncoderCache none(0);
  none.Add({1, 0}, Of(1));
  EXPECT_EQ(none.Find({1, 0}), nullptr);
}

}  // namespace
}  // namespace octavo
