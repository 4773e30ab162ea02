#include "ops/workspace.h"

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Workspace, ScopesGiveBackAndPeakStays) {
  Workspace workspace(1024, 2, 100);
  {
    const Workspace::Scope scope(&workspace);
    float* a = workspace.Allocate<float>(10);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 64, 0u);
    EXPECT_EQ(workspace.used_bytes(), 64u);
    workspace.Allocate<std::byte>(65);
    EXPECT_EQ(workspace.used_bytes(), 192u);
  }
  EXPECT_EQ(workspace.used_bytes(), 0u);
  EXPECT_EQ(workspace.peak_bytes(), 192u);
  EXPECT_GE(workspace.scratch_bytes_per_thread(), 100u);
  EXPECT_GE(workspace.ThreadScratch(1) - workspace.ThreadScratch(0), 100);
}

TEST(WorkspaceDeathTest, StopsWhenItDoesNotFit) {
  Workspace workspace(64, 1, 64);
  workspace.Allocate<float>(16);
  EXPECT_DEATH(workspace.Allocate<float>(1), "bytes wanted");
}

}  // namespace
}  // namespace octavo
