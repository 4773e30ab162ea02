#include "base/child_launch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "base/child_process.h"

namespace octavo {
namespace {

ChildResult Shell(const std::string& script, std::string_view input = "",
                  const ChildLimits& limits = {}) {
  return RunChild({"sh", "-c", script}, input, limits);
}

// Starts `program` as RunChild does; returns what it wrote to the status pipe.
int StatusOf(const char* program, pid_t parent, int* exit_code) {
  int status[2];
  EXPECT_EQ(pipe(status), 0);
  const int null = open("/dev/null", O_RDWR);
  char* const argv[] = {const_cast<char*>(program), nullptr};
  char* const envp[] = {nullptr};
  const ChildLimits limits;
  const Launch launch = {program,   argv, envp,   null,    null,    null,
                         status[1], -1,   parent, "0 0 1", "0 0 1", &limits};
  const pid_t pid = fork();
  if (pid == 0) StartInChild(launch);
  close(status[1]);
  close(null);
  int error = 0;
  if (read(status[0], &error, sizeof error) != static_cast<ssize_t>(sizeof error)) error = 0;
  close(status[0]);
  int wait_status = 0;
  waitpid(pid, &wait_status, 0);
  *exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
  return error;
}

TEST(ChildLaunch, TellsWhyAProgramDidNotStart) {
  int exit_code = 0;
  EXPECT_EQ(StatusOf("/no/such/program", getpid(), &exit_code), ENOENT);
  EXPECT_EQ(exit_code, 127);
  EXPECT_EQ(StatusOf("/dev/null", getpid(), &exit_code), EACCES);
}

TEST(ChildLaunch, DoesNotStartWhereTheParentIsGone) {
  int exit_code = 0;
  StatusOf("/bin/true", getpid() + 1, &exit_code);
  EXPECT_EQ(exit_code, 127);
}

TEST(ChildLaunch, FilesAreNotWrittenUnlessAllowed) {
  const std::string path = testing::TempDir() + "octavo_child_file";
  const std::string script = "printf 123456 > '" + path + "'";
  EXPECT_NE(Shell(script).exit_code, 0);
  ChildLimits limits;
  limits.file_bytes = 6;
  EXPECT_EQ(Shell(script, "", limits).exit_code, 0);
  unlink(path.c_str());
}

TEST(ChildLaunch, AWriteOverTheFileLimitFailsAndTheChildGoesOn) {
  const std::string path = testing::TempDir() + "octavo_child_file_over";
  const ChildResult result = Shell("printf 123456 > '" + path + "'; echo went on");
  EXPECT_EQ(result.exit_code, 0) << result.stderr_text;
  EXPECT_EQ(result.stdout_bytes, "went on\n");
  unlink(path.c_str());
}

TEST(ChildLaunch, LowerHardLimitsOfTheCallerStay) {
  const auto run = [] {
    const struct rlimit low = {15, 15};
    setrlimit(RLIMIT_CPU, &low);
    const ChildResult result = Shell("ulimit -Ht");
    std::fputs(result.stdout_bytes.c_str(), stderr);
    std::_Exit(result.exit_code);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "^15\n");
}

// qemu-user does not enforce the limit that it is told.
TEST(ChildLaunch, MemoryIsLimited) {
#if defined(__aarch64__)
  GTEST_SKIP() << "limits on address space are not enforced under qemu-user";
#endif
  ChildLimits limits;
  limits.address_space_bytes = int64_t{64} << 20;
  limits.wall_seconds = 60;
  // tail keeps a last line of 200 MB in memory: more than it may have.
  const ChildResult result = Shell("head -c 200000000 /dev/zero | tail -n 1 | wc -c", "", limits);
  EXPECT_NE(result.stdout_bytes, "200000000\n");
}

TEST(ChildLaunch, NoDescriptorIsInherited) {
  const int leak = open("/dev/null", O_RDONLY);  // without close-on-exec, as a library might
  ASSERT_GE(leak, 3);
  const ChildResult result = Shell("ls /proc/self/fd | tr '\\n' ' '");
  close(leak);
  // 3 is the folder that ls itself reads.
  EXPECT_EQ(result.stdout_bytes, "0 1 2 3 ");
}

TEST(ChildLaunch, NetworkIsEmptyWhereNamespacesAreAllowed) {
  const ChildResult result = Shell("cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d ' \\n'");
  if (result.stdout_bytes != "lo") {
    GTEST_SKIP() << "this kernel allows no unprivileged network namespace: " << result.stdout_bytes;
  }
}

}  // namespace
}  // namespace octavo
