#include "base/cgroup.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

namespace fs = std::filesystem;

// A made-up /sys/fs/cgroup and /proc/self.
class CgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("octavo_cgroup_" +
             std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  CgroupLimits Read() const { return ReadCgroupLimits(root_ / "mount", root_ / "self"); }

  fs::path root_;
};

TEST_F(CgroupTest, NothingThereIsNoLimit) {
  const CgroupLimits limits = Read();
  EXPECT_FALSE(limits.cpus || limits.memory_bytes || limits.memory_in_use);
}

TEST_F(CgroupTest, Version2TakesTheTightestOfTheParents) {
  Write("self/cgroup", "0::/a/b\n");
  Write("mount/memory.max", "max\n");
  Write("mount/a/memory.max", "1000\n");
  Write("mount/a/memory.current", "700\n");
  Write("mount/a/memory.stat", "anon 500\ninactive_file 150\n");
  Write("mount/a/b/memory.max", "5000\n");
  Write("mount/a/cpu.max", "150000 100000\n");
  Write("mount/a/b/cpu.max", "max 100000\n");
  const CgroupLimits limits = Read();
  EXPECT_EQ(limits.memory_bytes, 1000);
  EXPECT_EQ(limits.memory_in_use, 550);
  EXPECT_EQ(limits.cpus, 1.5);
}

TEST_F(CgroupTest, Version2InsideItsOwnNamespace) {
  Write("self/cgroup", "0::/\n");
  Write("mount/memory.max", "4096\n");
  Write("mount/cpu.max", "50000 100000\n");
  EXPECT_EQ(Read().memory_bytes, 4096);
  EXPECT_EQ(Read().cpus, 0.5);
}

TEST_F(CgroupTest, Version1ReadsItsControllers) {
  Write("self/cgroup", "4:memory:/job\n2:cpuacct:/\n1:cpu,cpuset:/job\n0::/\n");
  Write("mount/memory/memory.limit_in_bytes", "9223372036854771712\n");
  Write("mount/memory/job/memory.limit_in_bytes", "2000\n");
  Write("mount/memory/job/memory.usage_in_bytes", "900\n");
  Write("mount/memory/job/memory.stat", "cache 5\ntotal_inactive_file 100\n");
  Write("mount/cpu/job/cpu.cfs_quota_us", "250000\n");
  Write("mount/cpu/job/cpu.cfs_period_us", "100000\n");
  const CgroupLimits limits = Read();
  EXPECT_EQ(limits.memory_bytes, 2000);
  EXPECT_EQ(limits.memory_in_use, 800);
  EXPECT_EQ(limits.cpus, 2.5);
}

TEST_F(CgroupTest, Version1WithoutQuotaIsNoLimit) {
  Write("self/cgroup", "1:cpu:/\n");
  Write("mount/cpu/cpu.cfs_quota_us", "-1\n");
  Write("mount/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(Read().cpus);
}

TEST_F(CgroupTest, GroupThatIsNotVisibleFallsBackToItsParent) {
  Write("self/cgroup", "0::/docker/0123\n");
  Write("mount/memory.max", "777\n");
  EXPECT_EQ(Read().memory_bytes, 777);
}

TEST_F(CgroupTest, NonsenseIsIgnored) {
  Write("self/cgroup", "nonsense\n\n0:\n0::/\n");
  Write("mount/memory.max", "lots\n");
  Write("mount/cpu.max", "0 0\n");
  EXPECT_FALSE(Read().memory_bytes || Read().cpus);
}

}  // namespace
}  // namespace octavo
