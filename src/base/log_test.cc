#include "base/log.h"

#include <string>

#include <gtest/gtest.h>

namespace octavo {
namespace {

std::string Captured(LogLevel level, LogLevel lowest, std::string_view message) {
  SetLogLevel(lowest);
  testing::internal::CaptureStderr();
  Log(level, message);
  SetLogLevel(LogLevel::kOff);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, SilentUntilTurnedOn) {
  EXPECT_FALSE(LogEnabled(LogLevel::kError));
  EXPECT_EQ(Captured(LogLevel::kError, LogLevel::kOff, "x"), "");
}

TEST(Log, WritesLinesOfTheLevelAndAbove) {
  EXPECT_EQ(Captured(LogLevel::kInfo, LogLevel::kWarning, "x"), "");
  const std::string line = Captured(LogLevel::kWarning, LogLevel::kWarning, "disk is full");
  EXPECT_NE(line.find("warning disk is full\n"), std::string::npos) << line;
}

TEST(Log, OneMessageIsOneLine) {
  const std::string line = Captured(LogLevel::kInfo, LogLevel::kDebug, "a\nforged {} %s");
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_NE(line.find("a\\x0Aforged {} %s"), std::string::npos) << line;
}

}  // namespace
}  // namespace octavo
