#include "base/hash.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

// Vectors of draft-eastlake-fnv.
TEST(Hash, IsFnv1a) {
  EXPECT_EQ(Fnv1a64(""), 0xCBF29CE484222325u);
  EXPECT_EQ(Fnv1a64("a"), 0xAF63DC4C8601EC8Cu);
  EXPECT_EQ(Fnv1a64("foobar"), 0x85944171F73967E8u);
}

TEST(Hash, GoesOnFromTheBytesBefore) {
  EXPECT_EQ(Fnv1a64("bar", Fnv1a64("foo")), Fnv1a64("foobar"));
  EXPECT_NE(Fnv1a64("\xFF"), Fnv1a64("\x7F"));
}

}  // namespace
}  // namespace octavo
