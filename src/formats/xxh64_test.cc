#include "formats/xxh64.h"

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

}  // namespace
}  // namespace octavo
