#include "base/child_process.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

ChildResult Shell(const std::string& script, std::string_view input = "",
                  const ChildLimits& limits = {}) {
  return RunChild({"sh", "-c", script}, input, limits);
}

TEST(ChildProcess, FeedsInputAndCollectsBothOutputs) {
  const ChildResult result = Shell("cat; echo oops >&2; exit 3", "in\nput");
  EXPECT_EQ(result.stdout_bytes, "in\nput");
  EXPECT_EQ(result.stderr_text, "oops\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.output_cut);
}

TEST(ChildProcess, EndsSoonWhenItIsCancelled) {
  const auto start = std::chrono::steady_clock::now();
  ChildLimits limits;
  limits.is_cancelled = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(100);
  };
  const ChildResult result = Shell("sleep 60", "", limits);
  EXPECT_TRUE(result.cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(ChildProcess, LargeInputAndOutputDoNotDeadlock) {
  std::string input(5 << 20, 'x');
  for (size_t i = 0; i < input.size(); i += 4097) input[i] = '\n';
  const ChildResult result = RunChild({"cat"}, input, {});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(result.stdout_bytes == input);
}

TEST(ChildProcess, ChildMayIgnoreItsInput) {
  const ChildResult result = Shell("exit 0", std::string(5 << 20, 'x'));
  EXPECT_EQ(result.exit_code, 0);
}

TEST(ChildProcess, AbsentProgramIsNotFound) {
  for (const char* name : {"octavo-no-such-program", "/no/such/program", ""}) {
    try {
      RunChild({name}, "", {});
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kNotFound) << error.what();
    }
  }
}

TEST(ChildProcess, SignalIsAnExitCode) {
  EXPECT_EQ(Shell("kill -SEGV $$").exit_code, 128 + SIGSEGV);
}

TEST(ChildProcess, WallTimeEndsTheWholeGroup) {
  const auto start = std::chrono::steady_clock::now();
  ChildLimits limits;
  limits.wall_seconds = 1;
  // The background process keeps the pipes open: it has to go as well.
  const ChildResult result = Shell("echo begun; sleep 60 & sleep 60; echo done", "", limits);
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.stdout_bytes, "begun\n");
  EXPECT_LT(took, std::chrono::seconds(20));
}

TEST(ChildProcess, GrandchildThatOutlivesTheChildIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  const ChildResult result = Shell("sleep 60 & echo $!");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(result.exit_code, 0);
  const pid_t grandchild = std::stoi(result.stdout_bytes);
  // Ended, though perhaps not collected yet by its new parent.
  for (int i = 0; i < 100 && kill(grandchild, 0) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const ChildResult state =
      Shell("cut -d' ' -f3 /proc/" + std::to_string(grandchild) + "/stat 2>/dev/null || echo gone");
  EXPECT_TRUE(state.stdout_bytes == "gone\n" || state.stdout_bytes == "Z\n") << state.stdout_bytes;
}

TEST(ChildProcess, CpuTimeIsATimeout) {
  ChildLimits limits;
  limits.cpu_seconds = 1;
  limits.wall_seconds = 60;
  const ChildResult result = Shell("while :; do :; done", "", limits);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + SIGXCPU);
}

TEST(ChildProcess, OutputIsCutAtItsLimit) {
  ChildLimits limits;
  limits.output_bytes = 100000;
  limits.wall_seconds = 60;
  const ChildResult result = Shell("while :; do echo 0123456789; done", "", limits);
  EXPECT_TRUE(result.output_cut);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.stdout_bytes.size(), 100000u);
}

TEST(ChildProcess, OutputOfExactlyTheLimitIsWhole) {
  ChildLimits limits;
  limits.output_bytes = 8;
  const ChildResult result = Shell("printf 12345678", "", limits);
  EXPECT_FALSE(result.output_cut);
  EXPECT_EQ(result.stdout_bytes, "12345678");
}

TEST(ChildProcess, EndlessErrorOutputIsBounded) {
  ChildLimits limits;
  limits.wall_seconds = 60;
  const ChildResult result =
      Shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789 >&2; i=$((i+1)); done", "", limits);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.stderr_text.size(), size_t{64} << 10);
}

TEST(ChildProcess, SecretsOfTheEnvironmentStayHere) {
  setenv("OCTAVO_TEST_SECRET", "hush", 1);
  EXPECT_EQ(Shell("echo [$OCTAVO_TEST_SECRET]").stdout_bytes, "[]\n");
  unsetenv("OCTAVO_TEST_SECRET");
}

TEST(ChildProcess, ManyThreadsRunChildrenAtOnce) {
  std::vector<std::thread> threads;
  std::vector<std::string> answers(4);
  for (size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back([i, &answers] {
      for (int run = 0; run < 5; ++run) {
        answers[i] = RunChild({"cat"}, std::to_string(i), {}).stdout_bytes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], std::to_string(i));
}

TEST(ChildProcess, SigpipeHandlingOfTheCallerIsRestored) {
  sigset_t before;
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Shell("exit 0", std::string(1 << 20, 'x'));
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGPIPE), sigismember(&after, SIGPIPE));
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

}  // namespace
}  // namespace octavo
