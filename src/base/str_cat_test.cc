#include "base/str_cat.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(StrCat, JoinsStringsAndNumbers) {
  EXPECT_EQ(StrCat("a", 1, std::string("b"), -2.5, 'c', 18446744073709551615u),
            "a1b-2.5c18446744073709551615");
}

}  // namespace
}  // namespace octavo
