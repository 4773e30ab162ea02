#include "base/memory_file.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/child_process.h"

namespace octavo {
namespace {

TEST(MemoryFile, AChildReadsItAsAFile) {
  std::string bytes(300000, 'x');
  bytes += "end\n";
  const MemoryFile file(bytes);
  for (int run = 0; run < 2; ++run) {
    const ChildResult result = RunChild({"cat", file.ChildPath()}, "", {}, &file);
    EXPECT_EQ(result.exit_code, 0) << result.stderr_text;
    EXPECT_TRUE(result.stdout_bytes == bytes);
  }
}

TEST(MemoryFile, TheChildMaySeekInItAndGetsInputBesides) {
  const MemoryFile file("0123456789");
  const ChildResult result =
      RunChild({"sh", "-c", "tail -c 3 " + file.ChildPath() + "; cat"}, "input", {}, &file);
  EXPECT_EQ(result.stdout_bytes, "789input");
}

TEST(MemoryFile, OtherChildrenDoNotSeeIt) {
  const MemoryFile file("secret");
  EXPECT_NE(RunChild({"cat", file.ChildPath()}, "", {}).exit_code, 0);
}

TEST(MemoryFile, ManyChildrenReadItAtOnce) {
  const MemoryFile file(std::string(200000, 'y'));
  std::vector<std::thread> threads;
  std::vector<size_t> sizes(4);
  for (size_t i = 0; i < sizes.size(); ++i) {
    threads.emplace_back([&, i] {
      sizes[i] = RunChild({"cat", file.ChildPath()}, "", {}, &file).stdout_bytes.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const size_t size : sizes) EXPECT_EQ(size, 200000u);
}

// Standard input may be closed, and its number free for the file; the child's would land on it.
TEST(MemoryFile, IsReadWhereStandardInputIsClosed) {
  const auto run = [] {
    close(0);
    const MemoryFile file("bytes");
    const bool is_read = RunChild({"cat", file.ChildPath()}, "", {}, &file).stdout_bytes == "bytes";
    std::_Exit(is_read ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

TEST(MemoryFile, MayBeEmpty) {
  const MemoryFile file("");
  EXPECT_EQ(RunChild({"cat", file.ChildPath()}, "", {}, &file).stdout_bytes, "");
}

}  // namespace
}  // namespace octavo
