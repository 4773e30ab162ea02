// What tests of the command line share.
#ifndef OCTAVO_CLI_TEST_SUPPORT_H_
#define OCTAVO_CLI_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/args.h"

namespace octavo {

inline Command Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "octavo");
  return ParseArgs(static_cast<int>(words.size()), words.data());
}

// -1: a command, none of these.
inline int ExitCodeOf(std::vector<const char*> words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Command command = Parse(std::move(words));
  const std::string out = testing::internal::GetCapturedStdout();
  const std::string err = testing::internal::GetCapturedStderr();
  if (!std::holds_alternative<ExitNow>(command)) return -1;
  const int code = std::get<ExitNow>(command).exit_code;
  EXPECT_EQ(out.empty(), code != 0) << out;
  EXPECT_EQ(err.empty(), code == 0) << err;
  return code;
}

}  // namespace octavo

#endif  // OCTAVO_CLI_TEST_SUPPORT_H_
