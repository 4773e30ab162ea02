#include "base/xxh.h"

#include <string_view>

#include <gtest/gtest.h>

#include "testing/container_bytes.h"

namespace octavo {
namespace {

using octavo::testing::AsBytes;

// Published vectors: the empty input stands in xxHash's tests/sanity_test_vectors.h, the words in
// the test suites of several independent ports.
TEST(Xxh64, MatchesPublishedVectors) {
  EXPECT_EQ(Xxh64({}), 0xEF46DB3751D8E999u);
  EXPECT_EQ(Xxh64(AsBytes("a")), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(Xxh64(AsBytes("abc")), 0x44BC2CF5AD770999u);
  EXPECT_EQ(Xxh64(AsBytes("Nobody inspects the spammish repetition")), 0xFBCEA83C8A378BF1u);
}

// XXH3's sanity vector of no bytes, and that seed and every byte count.
TEST(Xxh128, DependsOnEverythingItIsGiven) {
  EXPECT_EQ(Xxh128({}, 0), (Xxh128Digest{0x6001C324468D497Fu, 0x99AA06D3014798D8u}));
  EXPECT_EQ(Xxh128(AsBytes("abc"), 1), Xxh128(AsBytes("abc"), 1));
  EXPECT_NE(Xxh128(AsBytes("abc"), 1), Xxh128(AsBytes("abc"), 2));
  EXPECT_NE(Xxh128(AsBytes("abc"), 1), Xxh128(AsBytes("abd"), 1));
}

}  // namespace
}  // namespace octavo
