#include "base/check.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(CheckDeathTest, FailureStopsWithFileConditionAndValues) {
  const int have = 3;
  EXPECT_DEATH(OCTAVO_CHECK(have == 4, "have ", have), "check_test.cc:.*have == 4: have 3");
}

TEST(CheckDeathTest, ValuesAreOptional) {
  const bool ready = false;
  EXPECT_DEATH(OCTAVO_CHECK(ready), "check failed: ready");
}

TEST(Check, TrueConditionEvaluatesOnceAndNoValues) {
  int conditions = 0;
  int values = 0;
  OCTAVO_CHECK(++conditions == 1, ++values);
  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(values, 0);
}

}  // namespace
}  // namespace octavo
