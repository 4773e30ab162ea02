// MemoryBudget: what a model may take, and whether a plan fits into it before anything is loaded.
#ifndef OCTAVO_MODEL_MEMORY_BUDGET_H_
#define OCTAVO_MODEL_MEMORY_BUDGET_H_

#include <cstdint>

#include "model/model.h"

namespace octavo {

struct MemoryBudget {
  int64_t bytes = 0;       // of this process, resident
  bool is_default = true;  // nobody asked for it
};

// `limit_bytes` if it is over 0, else 80 % of what the machine, or the cgroup, has.
MemoryBudget ChooseMemoryBudget(int64_t limit_bytes) noexcept;

// What the program takes beside the plan: itself, its tokenizer, pictures that wait.
inline constexpr int64_t kProcessBytes = int64_t{40} << 20;

// Bytes of the plan without a cache of keys and values, and of the process.
int64_t FixedBytes(const MemoryPlan& plan) noexcept;

// Throws kResourceExhausted, which says what is needed for what and what there is, if the plan with
// a cache of `kv_tokens` exceeds the budget.
void RequireMemory(const MemoryPlan& plan, int64_t kv_tokens, const MemoryBudget& budget);

// Tokens of cache that fit beside the plan; 0 or more.
int64_t AffordableKvTokens(const MemoryPlan& plan, const MemoryBudget& budget) noexcept;

}  // namespace octavo

#endif  // OCTAVO_MODEL_MEMORY_BUDGET_H_
