#include "base/terminal.h"

#include <cstdio>
#include <memory>

#include <gtest/gtest.h>

namespace octavo {
namespace {

TEST(Terminal, IsNoFile) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  ASSERT_NE(file, nullptr);
  EXPECT_FALSE(IsTerminal(file.get()));
  EXPECT_EQ(TerminalWidth(file.get()), 80);
}

}  // namespace
}  // namespace octavo
