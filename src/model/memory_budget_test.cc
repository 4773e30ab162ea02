#include "model/memory_budget.h"

#include <gtest/gtest.h>

#include "base/memory_info.h"
#include "octavo/error.h"
#include "tests/testing/error_code.h"

namespace octavo {
namespace {

constexpr MemoryPlan kPlan = {.weight_bytes = 700'000'000,
                              .workspace_bytes = 20'000'000,
                              .vision_activation_bytes = 120'000'000,
                              .kv_bytes_per_token = 10'000};

TEST(MemoryBudget, IsTheWishOrMostOfTheMachine) {
  EXPECT_EQ(ChooseMemoryBudget(123).bytes, 123);
  EXPECT_FALSE(ChooseMemoryBudget(123).is_default);
  const MemoryBudget budget = ChooseMemoryBudget(0);
  EXPECT_TRUE(budget.is_default);
  EXPECT_NEAR(static_cast<double>(budget.bytes), 0.8 * static_cast<double>(MemoryLimitBytes()), 2);
}

TEST(MemoryBudget, RefusesWithNeedAndHave) {
  const int64_t need = 840'000'000 + kProcessBytes + 1000 * 10'000;
  EXPECT_NO_THROW(RequireMemory(kPlan, 1000, {need, false}));
  EXPECT_EQ(testing::ErrorCodeOf(
                [&] {
                  RequireMemory(kPlan, 1000, {need - 1, false});
                },
                "the model needs 892 MB of memory (weights 700, workspace 20, the largest picture "
                "120, a cache of 1000 tokens 10, the program 42), it may take 891 MB "
                "(--memory-limit)"),
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(testing::ErrorCodeOf(
                [&] {
                  RequireMemory(kPlan, 0, {1'000'000, true});
                },
                "the model needs 882 MB of memory (weights 700, workspace 20, the largest picture "
                "120, a cache of 0 tokens 0, the program 42), it may take 1 MB, 80 % of what there "
                "is; --memory-limit sets another limit"),
            ErrorCode::kResourceExhausted);
}

TEST(MemoryBudget, GivesTheCacheWhatIsLeft) {
  EXPECT_EQ(AffordableKvTokens(kPlan, {FixedBytes(kPlan) + 25'000, false}), 2);
  EXPECT_EQ(AffordableKvTokens(kPlan, {FixedBytes(kPlan) - 1, false}), 0);
  EXPECT_EQ(AffordableKvTokens(kPlan, {1, false}), 0);
}

}  // namespace
}  // namespace octavo
