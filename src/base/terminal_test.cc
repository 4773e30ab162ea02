#include "base/terminal.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo {
namespace {

TEST(Terminal, IsNoFile) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(IsTerminal(file.get()));
  EXPECT_EQ(TerminalWidth(file.get()), 80);
}

TEST(Terminal, NoFileGetsTheNumberOfAClosedStream) {
  const auto run = [] {
    for (const int fd : {0, 1, 2}) close(fd);
    ReserveStandardStreams();
    char byte = 0;
    const bool fails = read(0, &byte, 1) < 0 && write(1, "x", 1) < 0 && write(2, "x", 1) < 0;
    std::_Exit(fails && open("/dev/null", O_RDONLY) > 2 ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

// In a child: stdout belongs to the whole process.
TEST(Terminal, WhatStdoutDoesNotTakeIsAnError) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  const auto run = [](bool is_printed_before) {
    if (std::freopen("/dev/full", "w", stdout) == nullptr) std::_Exit(2);
    bool is_noticed = false;
    try {
      if (is_printed_before) {
        std::printf("result\n");
        FlushStandardOutput();
      } else {
        WriteStandardOutput("result\n");
      }
    } catch (const Error& error) {
      is_noticed = error.code() == ErrorCode::kIo;
    }
    std::_Exit(is_noticed ? 0 : 1);
  };
  EXPECT_EXIT(run(true), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run(false), testing::ExitedWithCode(0), "");
}

TEST(Terminal, WaitingForStandardInputCanBeCancelled) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const auto run = [&] {
    dup2(ends[0], 0);
    int num_asked = 0;
    const bool is_first = WaitForStandardInput([&] { return ++num_asked == 2; });
    [[maybe_unused]] const ssize_t written = write(ends[1], "x", 1);
    const bool is_second = WaitForStandardInput([] { return false; });
    std::_Exit(!is_first && num_asked == 2 && is_second ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
  close(ends[0]);
  close(ends[1]);
}

TEST(Terminal, ASecretIsTheFirstLineOfAFile) {
  const std::string path = testing::TempDir() + "octavo_secret";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_NE(file, nullptr);
  std::fputs(" a secret \r\nnext\n", file);
  std::fclose(file);
  ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  EXPECT_EQ(ReadSecretLine("? "), " a secret ");
  EXPECT_EQ(ReadSecretLine("? "), "");  // at its end
  std::remove(path.c_str());
}

// Typed on a terminal: the prompt is there, the secret is not.
TEST(Terminal, ASecretIsNotShownWhileItIsTyped) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0) GTEST_SKIP() << "no terminals";
  const std::string name = ptsname(leader);
  const pid_t pid = fork();
  if (pid == 0) {
    const int terminal = open(name.c_str(), O_RDWR | O_NOCTTY);
    dup2(terminal, 0);
    dup2(terminal, 2);
    _exit(ReadSecretLine("Password: ") == "hush" ? 0 : 1);
  }
  std::string shown;
  char byte = 0;
  while (shown.find("Password: ") == std::string::npos && read(leader, &byte, 1) == 1) {
    shown += byte;
  }
  ASSERT_EQ(write(leader, "hush\n", 5), 5);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  fcntl(leader, F_SETFL, O_NONBLOCK);
  while (read(leader, &byte, 1) == 1) shown += byte;
  close(leader);
  EXPECT_EQ(shown.find("hush"), std::string::npos) << shown;
}

TEST(Terminal, ASignalAtThePromptEndsTheProgramAndLeavesTheEcho) {
  const int leader = posix_openpt(O_RDWR | O_NOCTTY);
  if (leader < 0 || grantpt(leader) != 0 || unlockpt(leader) != 0) GTEST_SKIP() << "no terminals";
  const std::string name = ptsname(leader);
  const int terminal = open(name.c_str(), O_RDWR | O_NOCTTY);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(terminal, 0);
    dup2(terminal, 2);
    ReadSecretLine("Password: ");
    _exit(0);
  }
  std::string shown;
  char byte = 0;
  while (shown.find("Password: ") == std::string::npos && read(leader, &byte, 1) == 1) {
    shown += byte;
  }
  termios settings{};
  tcgetattr(terminal, &settings);
  EXPECT_EQ(settings.c_lflag & ECHO, 0u);
  kill(pid, SIGINT);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  tcgetattr(terminal, &settings);
  EXPECT_NE(settings.c_lflag & ECHO, 0u);
  close(terminal);
  close(leader);
}

}  // namespace
}  // namespace octavo
