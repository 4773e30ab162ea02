#include "cli/model_flags.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(ModelFlags, SayWhatTheyWereGivenAndNothingElse) {
  const EngineOptions plain = ToEngineOptions({}, "dir");
  const EngineOptions none;
  EXPECT_EQ(plain.model_dir, "dir");
  EXPECT_EQ(plain.compute, none.compute);
  EXPECT_EQ(plain.num_threads, none.num_threads);
  EXPECT_EQ(plain.max_running, none.max_running);
  const EngineOptions all = ToEngineOptions({.model_dir = "wish",
                                             .compute = "bf16",
                                             .attention = "f32",
                                             .kv_cache_dtype = "int8",
                                             .num_threads = 3,
                                             .memory_limit = 5},
                                            "found");
  EXPECT_EQ(all.model_dir, "found");
  EXPECT_EQ(all.compute, "bf16");
  EXPECT_EQ(all.attention, "f32");
  EXPECT_EQ(all.kv_cache_dtype, "int8");
  EXPECT_EQ(all.num_threads, 3);
  EXPECT_EQ(all.memory_limit_bytes, 5);
}

}  // namespace
}  // namespace octavo
