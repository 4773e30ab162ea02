#include "base/file_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace octavo {
namespace {

namespace fs = std::filesystem;

class FileLockTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("file_lock_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = folder_ / "made" / "deep" / "name.lock";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  fs::path path_;
};

TEST_F(FileLockTest, IsHeldByOneAtATime) {
  FileLock first;
  ASSERT_TRUE(first.Acquire(path_));
  FileLock second;
  EXPECT_FALSE(second.Acquire(path_));
  FileLock other;
  EXPECT_TRUE(other.Acquire(folder_ / "other.lock"));
  first.Release();
  FileLock third;
  EXPECT_TRUE(third.Acquire(path_));
}

TEST_F(FileLockTest, KeepsOtherProcessesOut) {
  FileLock mine;
  ASSERT_TRUE(mine.Acquire(path_));
  const pid_t child = ::fork();
  if (child == 0) {
    FileLock theirs;
    ::_exit(theirs.Acquire(path_) ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FileLockTest, TakesOverTheFileOfAKilledProgram) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "";
  FileLock lock;
  EXPECT_TRUE(lock.Acquire(path_));
}

TEST_F(FileLockTest, LeavesNothingButWhatOthersPutThere) {
  {
    FileLock lock;
    ASSERT_TRUE(lock.Acquire(path_));
    EXPECT_TRUE(fs::exists(path_));
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  {
    FileLock lock;
    ASSERT_TRUE(lock.Acquire(path_));
    std::ofstream(folder_ / "made" / "result") << "1";
  }
  EXPECT_FALSE(fs::exists(path_.parent_path()));
  EXPECT_TRUE(fs::exists(folder_ / "made" / "result"));
}

// What cannot be locked says itself why it cannot be written.
TEST_F(FileLockTest, IsNoHindranceWhereNoLockCanBeHad) {
  std::ofstream(folder_ / "file") << "1";
  FileLock lock;
  EXPECT_TRUE(lock.Acquire(folder_ / "file" / "name.lock"));
}

}  // namespace
}  // namespace octavo
