// The code of the Error that a call throws.
#ifndef OCTAVO_TESTS_TESTING_ERROR_CODE_H_
#define OCTAVO_TESTS_TESTING_ERROR_CODE_H_

#include <string_view>

#include <gtest/gtest.h>

#include "octavo/error.h"

namespace octavo::testing {

// Fails the test if nothing is thrown or the message does not begin with `prefix`; other exceptions
// pass through.
template <typename Call>
ErrorCode ErrorCodeOf(const Call& call, std::string_view prefix = "") {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(std::string_view(error.what()).substr(0, prefix.size()), prefix) << error.what();
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::kCancelled;
}

}  // namespace octavo::testing

#endif  // OCTAVO_TESTS_TESTING_ERROR_CODE_H_
