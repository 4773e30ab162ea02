#include "model/memory_budget.h"

#include <algorithm>
#include <cmath>

#include "base/memory_info.h"
#include "base/str_cat.h"
#include "octavo/error.h"

namespace octavo {
namespace {

// Of what the machine has; the rest is for others and for the system's cache of files.
constexpr double kDefaultShare = 0.8;

int64_t Megabytes(int64_t bytes) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(bytes) / 1e6));
}

}  // namespace

MemoryBudget ChooseMemoryBudget(int64_t limit_bytes) noexcept {
  if (limit_bytes > 0) return {limit_bytes, false};
  return {static_cast<int64_t>(kDefaultShare * static_cast<double>(MemoryLimitBytes())), true};
}

int64_t FixedBytes(const MemoryPlan& plan) noexcept {
  return static_cast<int64_t>(plan.weight_bytes + plan.workspace_bytes +
                              plan.vision_activation_bytes) +
         kProcessBytes;
}

void RequireMemory(const MemoryPlan& plan, int64_t kv_tokens, const MemoryBudget& budget) {
  const int64_t cache = kv_tokens * static_cast<int64_t>(plan.kv_bytes_per_token);
  const int64_t need = FixedBytes(plan) + cache;
  if (need <= budget.bytes) return;
  throw Error(
      ErrorCode::kResourceExhausted,
      StrCat("the model needs ", Megabytes(need), " MB of memory (weights ",
             Megabytes(static_cast<int64_t>(plan.weight_bytes)), ", workspace ",
             Megabytes(static_cast<int64_t>(plan.workspace_bytes)), ", the largest picture ",
             Megabytes(static_cast<int64_t>(plan.vision_activation_bytes)), ", a cache of ",
             kv_tokens, " tokens ", Megabytes(cache), ", the program ", Megabytes(kProcessBytes),
             "), it may take ", budget.bytes / 1'000'000, " MB",
             budget.is_default ? ", 80 % of what there is; --memory-limit sets another limit"
                               : " (--memory-limit)"));
}

int64_t AffordableKvTokens(const MemoryPlan& plan, const MemoryBudget& budget) noexcept {
  const auto per_token = static_cast<int64_t>(std::max<size_t>(1, plan.kv_bytes_per_token));
  return std::max<int64_t>(0, budget.bytes - FixedBytes(plan)) / per_token;
}

}  // namespace octavo
