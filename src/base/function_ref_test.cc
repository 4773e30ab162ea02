#include "base/function_ref.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

int Apply(FunctionRef<int(int)> function, int x) { return function(x); }
int Double(int x) { return 2 * x; }

TEST(FunctionRef, CallsALambdaWithItsState) {
  int calls = 0;
  const auto add = [&calls](int x) {
    ++calls;
    return x + 1;
  };
  EXPECT_EQ(Apply(add, 4), 5);
  EXPECT_EQ(calls, 1);
}

TEST(FunctionRef, ReachesTheCallersOwnObjectNotACopy) {
  struct Counter {
    int count = 0;
    int operator()(int x) { return count += x; }
  };
  Counter counter;
  Apply(counter, 3);
  Apply(counter, 4);
  EXPECT_EQ(counter.count, 7);
}

TEST(FunctionRef, CallsAFunctionObjectThatWrapsAFunction) {
  const auto wrapped = [](int x) { return Double(x); };
  EXPECT_EQ(Apply(wrapped, 21), 42);
}

}  // namespace
}  // namespace octavo
